import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkySynthetic
import SkyTestSupport
import Testing

import SkyScan

@Suite("Windows of floats that are compressed for a link", .timeLimit(.minutes(10)))
struct CompressedWindowTests {
    /// A scan over one node.
    private func scan(
        _ image: String, weights: String?, _ compression: LinkQueue.Use
    ) async throws -> (result: SkyScanResult, traffic: BulkTraffic, bands: Int) {
        let cluster = try await LoopbackCluster(nodes: 1, compression: compression)
        defer { cluster.close() }
        var parameters = ScanParameters()
        if weights != nil { parameters.noise = .weights }
        let scan = try SkyScan(
            reader: try ImageReader(image: image, weights: weights), parameters: parameters, bandRows: 128,
            coordinator: cluster.coordinator, job: 1)
        return (try await scan.run(), cluster.nodes.traffic, scan.bandCount)
    }

    @Test("give the same catalogue in fewer bytes; over the loopback interface nothing is compressed")
    func catalogue() async throws {
        let folder = try TemporaryFolder()
        let image = folder.path("sky.fits")
        let weights = folder.path("weights.fits")
        try SyntheticSky(.init(width: 400, height: 700, seed: 3)).write(to: image, type: .float32)
        try SyntheticSky(.init(width: 400, height: 700, seed: 4)).write(to: weights, type: .float32)
        for map in [nil, weights] {
            let plain = try await scan(image, weights: map, .asMeasured)
            let compressed = try await scan(image, weights: map, .always)
            #expect(plain.result.sources.count > 20 && plain.result.missing.isEmpty && plain.bands > 3)
            #expect(compressed.result.sources.differences(to: plain.result.sources).isEmpty)
            #expect(plain.traffic.compressed.attempts == 0 && plain.traffic.sent.attempts >= plain.bands)
            // Windows of a few pixels may not become shorter.
            #expect(compressed.traffic.compressed.attempts >= compressed.bands)
            #expect(Double(compressed.traffic.sent.bytes) < 0.9 * Double(plain.traffic.sent.bytes))
        }
    }
}
