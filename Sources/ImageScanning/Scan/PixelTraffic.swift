import Console
import ScanNetwork

/// How the nodes of a scan got its pixels. Pure.
package struct PixelTraffic: Encodable, Equatable, Sendable {
    /// Tasks whose pixels nodes read from their own storage.
    var tasksRead: Int
    var bytesRead: Int
    /// Tasks whose pixels were sent to nodes.
    var tasksSent: Int
    var bytesSent: Int

    /// Nil if no node got pixels.
    init?(_ traffic: BulkTraffic) {
        if traffic == BulkTraffic() { return nil }
        (tasksRead, bytesRead) = (traffic.read.attempts, traffic.read.bytes)
        (tasksSent, bytesSent) = (traffic.sent.attempts, traffic.sent.bytes)
    }

    /// As in "pixels of 3 tasks read by nodes from their own storage (--data), those of 9 tasks sent (1.20 GB)".
    var words: String {
        let size = tasksSent == 0 ? "" : " (\(HumanFormat.byteCount(bytesSent)))"
        return "pixels of \(HumanFormat.count(tasksRead, "task")) read by nodes from their own storage (--data), "
            + "those of \(HumanFormat.count(tasksSent, "task")) sent\(size)"
    }
}

extension RemoteNodes {
    /// The line about pixels at the end of a scan; nil unless a node offers to read them itself.
    var pixelLine: String? { hasReader ? PixelTraffic(traffic)?.words : nil }
}
