import Foundation
import ScanCluster
import ScanNetwork
import ScanSecurity
import SkyExtraction
import SkyScan

/// Processor time of the coordinator for pixels that nodes scan.
package struct CoordinatorCost: Encodable, Equatable, Sendable {
    /// To read a pixel as it is stored, or packed for nodes.
    package var readSecondsPerPixel: Double
    /// To encrypt a byte and to send it, measured over loopback.
    package var sendSecondsPerByte: Double
    /// Bytes that are sent for a pixel.
    package var bytesPerPixel: Double

    package init(readSecondsPerPixel: Double, sendSecondsPerByte: Double, bytesPerPixel: Double) {
        self.readSecondsPerPixel = readSecondsPerPixel
        self.sendSecondsPerByte = sendSecondsPerByte
        self.bytesPerPixel = bytesPerPixel
    }

    /// For one pixel that is sent.
    var secondsPerPixel: Double { readSecondsPerPixel + sendSecondsPerByte * bytesPerPixel }
}

extension CoordinatorCost {
    /// Bytes of a task that measures sending: about as many as a band has.
    private static let taskBytes = 4 << 20
    /// Number of such tasks.
    private static let tasks = 32

    /// Measures with the bands of an image, which should be in the page cache.
    package static func measure(_ path: String) async throws -> CoordinatorCost {
        let reader = try ImageReader(image: path)
        let plan = try BandPlan(
            width: reader.summary.width, height: reader.summary.height, parameters: ScanParameters())
        let start = ProcessorTime.used
        var (pixels, bytes) = (0, 0)
        for band in 0..<plan.count {
            try Task.checkCancellation()
            let source = reader.source(of: plan[band].window)
            let loaded = try await source.load(.stored)
            pixels += plan[band].window.area
            bytes += loaded.count
        }
        let reading = ProcessorTime.used - start
        return CoordinatorCost(
            readSecondsPerPixel: reading / Double(pixels), sendSecondsPerByte: try await sending(),
            bytesPerPixel: Double(bytes) / Double(pixels))
    }

    /// Processor time of the thread of connections for each byte that it sends to a node of this process, which has
    /// another one.
    private static func sending() async throws -> Double {
        let keys = KeyRing(current: try .random())
        let server = NodeServer(
            name: "bench", keys: keys, slots: 1, scanners: .sky, listen: "127.0.0.1:0", loop: EventLoop())
        let address = try server.start()
        defer { server.stop() }
        let systems = Systems(clock: EventLoop.shared)
        let nodes = RemoteNodes([address.description], keys: keys, systems: systems)
        nodes.start()
        defer { nodes.close() }
        _ = await nodes.settled()
        let probe = ClusterProbe(systems)
        _ = try await probe.bandwidth(tasks: 2, bytesEach: taskBytes)
        let start = await loopSeconds()
        _ = try await probe.bandwidth(tasks: tasks, bytesEach: taskBytes)
        return await (loopSeconds() - start) / Double(tasks * taskBytes)
    }

    /// Processor time of the thread of connections so far.
    private static func loopSeconds() async -> Double {
        await withCheckedContinuation { continuation in
            EventLoop.shared.execute { continuation.resume(returning: ProcessorTime.ofThread) }
        }
    }
}
