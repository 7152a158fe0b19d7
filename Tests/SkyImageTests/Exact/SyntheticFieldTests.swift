import Foundation
import SkyTestSupport
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement
import SkySynthetic

@Suite("seamless scan of a synthetic sky", .enabled(if: PythonSEP.isPresent, Comment(rawValue: PythonSEP.missing)))
struct SyntheticFieldTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap(Int.init) }
    static let side = number("SKYFARM_SKY_SIZE") ?? 2048
    static let seed = UInt64(number("SKYFARM_SKY_SEED") ?? 1)
    static let modes = [("scalar", [64]), ("conv", [64, 128, 1 << 20]), ("matched", [320])]

    @Test("a catalogue equals python3-sep's, with galaxies and bleeds over several bands")
    func equalsPython() throws {
        let (image, folder) = try Self.render()
        let references = try PythonSEP.catalogues(of: folder.path("sky.fits"), modes: Self.modes.map(\.0))
        for (name, heights) in Self.modes {
            var parameters = ScanParameters()
            parameters.noise = name == "scalar" ? .global : .map
            parameters.filter = name == "matched" ? .matched : .conv
            let reference = try #require(references[name])
            for rows in heights {
                let scan = try SerialScan(
                    width: Self.side, height: Self.side, parameters: parameters, requestedRows: rows)
                let start = ContinuousClock.now
                let result = try FaultsOfSEP.$areKept.withValue(true) { try image.withView(scan.run) }
                let found = result.sources
                print(
                    "\(Self.side) x \(Self.side), seed \(Self.seed), \(name), bands of \(scan.plan.rows) rows: "
                        + "\(found.count) sources, \(result.rescans) windows scanned again, "
                        + "\(ContinuousClock.now - start)")
                #expect(
                    reference.differences(to: found) == [],
                    "seed \(Self.seed), \(name), bands of \(rows) rows")
                let tallest = zip(found.ymin, found.ymax).map { Int($1 - $0) }.max() ?? 0
                #expect(tallest > 2 * BandPlan.defaultHalo, "the sky is too easy: \(tallest) rows")
                // Of 128 rows the bands are high enough: what they cut begins in the window of the band that it ends in.
                #expect(scan.plan.count == 1 || rows == 128 || result.rescans > 0)
            }
        }
    }

    private static func render() throws -> (TestImage, TemporaryFolder) {
        var parameters = SyntheticSky.Parameters(width: side, height: side, seed: seed)
        parameters.brightStarDensity = 1
        parameters.bigGalaxyDensity = 1
        let sky = SyntheticSky(parameters)
        let folder = try TemporaryFolder()
        let file = try FITSImageWriter(path: folder.path("sky.fits"), width: side, height: side, type: .float32)
        var pixels: [Float] = []
        pixels.reserveCapacity(side * side)
        try sky.forEachStrip { _, samples in
            pixels += samples
            for start in stride(from: samples.startIndex, to: samples.endIndex, by: side) {
                try file.write(row: samples[start..<start + side])
            }
        }
        try file.finish()
        return (TestImage(width: side, height: side, pixels: pixels), folder)
    }
}
