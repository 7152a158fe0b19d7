import Console
import ScanNetwork
import SkyScan

/// What the link to the nodes gave during a scan, and what would help, if the link was the limit. Pure.
package struct LinkAdvice: Equatable {
    /// Bytes of pixels that were sent.
    package var bytes: Int
    /// Time in which the link was full.
    package var fullSeconds: Double
    /// Time of the scan.
    package var seconds: Double
    /// Whether the file holds integers that are not compressed, which fpack compresses without loss.
    package var isCompressible: Bool

    package init(bytes: Int, fullSeconds: Double, seconds: Double, isCompressible: Bool) {
        self.bytes = bytes
        self.fullSeconds = fullSeconds
        self.seconds = seconds
        self.isCompressible = isCompressible
    }

    /// Share of the time from which the link counts as the limit.
    private static let limit = 0.5

    /// One line; nil if the link was not the limit.
    package var words: String? {
        guard bytes > 0, seconds > 0, fullSeconds > Self.limit * seconds else { return nil }
        let rate = HumanFormat.quantity(Double(8 * bytes) / fullSeconds)
        let fpack = isCompressible ? "an image compressed by fpack, " : ""
        return "the link to the nodes was full for \(Int((100 * fullSeconds / seconds).rounded())) % of the scan, with "
            + "\(HumanFormat.byteCount(bytes)) of pixels at \(rate)bit/s; it would take less time with \(fpack)nodes that "
            + "read the image themselves (skyfarm node --data) or a faster link"
    }
}

extension RemoteNodes {
    /// The line about the link at the end of a scan of `seconds`; nil unless the link was the limit.
    func linkLine(_ reader: ImageReader, seconds: Double) -> String? {
        let sampleSize = Double(reader.summary.bitpix) / 8
        return LinkAdvice(
            bytes: traffic.sent.bytes, fullSeconds: fullLinkSeconds, seconds: seconds,
            isCompressible: sampleSize > 0 && reader.sentBytesPerPixel >= min(sampleSize, 4)
        ).words
    }
}
