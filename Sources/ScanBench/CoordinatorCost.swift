import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import SkyExtraction
import SkyScan

/// CPU time that the coordinator spends on pixels that nodes scan.
package struct CoordinatorCost: Encodable, Equatable, Sendable {
    /// Time to read a pixel as stored, or as packed for nodes.
    package var readSecondsPerPixel: Double
    /// Time to encrypt and send a byte, measured over loopback.
    package var sendSecondsPerByte: Double
    /// Number of bytes sent per pixel.
    package var bytesPerPixel: Double

    package init(readSecondsPerPixel: Double, sendSecondsPerByte: Double, bytesPerPixel: Double) {
        self.readSecondsPerPixel = readSecondsPerPixel
        self.sendSecondsPerByte = sendSecondsPerByte
        self.bytesPerPixel = bytesPerPixel
    }

    /// Time for one pixel that is sent.
    var secondsPerPixel: Double { readSecondsPerPixel + sendSecondsPerByte * bytesPerPixel }
}

extension CoordinatorCost {
    /// Bytes of a task that measures sending, about as many as a band has.
    private static let taskBytes = 4 << 20
    /// Number of tasks that measure sending.
    private static let tasks = 32

    /// Measures the cost with the bands of an image, which should be in the page cache.
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

    /// Returns the CPU time of the event loop's thread per byte sent to a node of this process, which uses another
    /// event loop.
    private static func sending() async throws -> Double {
        let keys = KeyRing(current: try .random())
        let server = NodeServer(
            name: "bench", keys: keys, slots: 1, taskTypes: .sky, listen: "127.0.0.1:0", loop: EventLoop())
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

    /// Returns the CPU time of the event loop's thread so far.
    private static func loopSeconds() async -> Double {
        await withCheckedContinuation { continuation in
            EventLoop.shared.execute { continuation.resume(returning: ProcessorTime.ofThread) }
        }
    }
}
