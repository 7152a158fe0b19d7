import Foundation
import ScanCluster
import ScanFarm
import ScanSecurity
import SkyExtraction
import SkyScan
import Testing

/// A node process that waits for ever for its files, and answers heartbeats. The limits are shorter than those of
/// `skyfarm scan`; the scenario `scan-stuck` of the lab has the same with a minute.
@Suite(
    "a node that is stuck in a read", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: StuckRead.isPossible, StuckRead.missing))
struct StuckNodeTests {
    let scene: Scene
    let image: String
    let library: String

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("data"), withIntermediateDirectories: true)
        image = try scene.sky("data/sky.fits", size: "1000x1000")
        library = try StuckRead.library(in: scene)
    }

    /// Scans the image on the node alone, in eight bands.
    private func scan(on node: Node) async throws -> SkyScanResult {
        let limits = ScanCoordinator.Options(
            waitForSystems: .milliseconds(500),
            // Not adapted: beside other tests, measured tasks take many times as long as alone.
            adaptiveTimeout: AdaptiveTimeout(
                multiple: 0, least: .seconds(10), leastUnmeasured: .seconds(10), secondsPerCostUnmeasured: 0))
        let cluster = ScanNode(
            keys: try KeyStore(path: Program.configuration + "/skyfarm/cluster.key").ring(), nodes: [node.address],
            discovering: [], options: limits)
        try cluster.start()
        defer { cluster.disconnect() }
        try #require(await cluster.systems.first(within: .seconds(10)))
        let scan = try SkyScan(
            reader: try ImageReader(image: image), parameters: ScanParameters(), bandRows: 128,
            coordinator: cluster.coordinator, job: 1)
        return try await scan.run()
    }

    @Test("alone: the scan ends without a time-out of the user, and names the sectors that nobody scanned")
    func alone() async throws {
        let node = try Node(
            "far", ["--data", scene.path("data")], environment: ["LD_PRELOAD": library, "STUCK_AFTER": "5"])
        let result = try await scan(on: node)
        let background = result.missing.filter { $0.step == .background }
        #expect(background.count >= 3 && result.missing.count > 3, "\(result.missing)")
        #expect(background.contains { $0.reason == "no answer within 10 s (on far, attempt 1)" }, "\(background)")
        let lastCause = "no system is left to run it; the last cause: far: no answer within 10 s"
        #expect(background.count { $0.reason == lastCause } >= 2, "\(background)")
    }

    @Test("from its first read, when nothing was measured, too")
    func atOnce() async throws {
        let node = try Node(
            "far", ["--data", scene.path("data")], environment: ["LD_PRELOAD": library, "STUCK_AFTER": "0"])
        await #expect(throws: SkyScanError.self) { try await scan(on: node) }
    }
}

/// `fread` that never returns, preloaded into a node.
private enum StuckRead {
    static let missing: Comment = "needs Linux, a C compiler, and programs without a sanitizer"

    static var isPossible: Bool {
        #if os(Linux)
            FileManager.default.isExecutableFile(atPath: compiler)
                && ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil
        #else
            false
        #endif
    }

    private static let compiler = "/usr/bin/cc"

    static func library(in scene: Scene) throws -> String {
        let path = scene.path("stuck_read.so")
        let source = URL(filePath: #filePath).deletingLastPathComponent().path() + "../../lab/stuck_read.c"
        let result = try Program.run(path: compiler, ["-shared", "-fPIC", "-O2", "-o", path, source])
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return path
    }
}
