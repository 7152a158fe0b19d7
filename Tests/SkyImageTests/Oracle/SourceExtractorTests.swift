import Foundation
import SkyTestSupport
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement

@Suite(
    "flux_auto is source-extractor's FLUX_AUTO",
    .enabled(if: SourceExtractorProgram.isPresent, Comment(rawValue: SourceExtractorProgram.absent)))
struct SourceExtractorTests {
    /// Fluxes of the same sources in both catalogues.
    struct Comparison {
        /// Sources found by both, above 10 sigma and without flags.
        var count = 0
        /// Of these, the ones whose fluxes differ by less than 1 %.
        var equal = 0

        init() {}

        init(_ own: SourceTable, _ others: [SourceExtractor.Source]) {
            struct Cell: Hashable { var x, y: Int }
            func cell(_ x: Double, _ y: Double) -> Cell { Cell(x: Int(x.rounded()), y: Int(y.rounded())) }
            let places = Dictionary(grouping: others) { cell($0.x, $0.y) }
            for index in 0..<own.count where own.flag[index] == 0 && own.photometry.flagAuto[index] == 0 {
                let (x, y) = (own.x[index], own.y[index])
                let near = [-0.5, 0.5].flatMap { dx in [-0.5, 0.5].map { dy in cell(x + dx, y + dy) } }
                let candidates = Set(near).flatMap { places[$0] ?? [] }
                func distance(_ source: SourceExtractor.Source) -> Double { hypot(source.x - x, source.y - y) }
                guard let other = candidates.min(by: { distance($0) < distance($1) }), distance(other) < 0.5,
                    other.flags == 0, other.fluxAuto > 10 * other.fluxErrAuto
                else { continue }
                count += 1
                if abs(own.photometry.fluxAuto[index] / other.fluxAuto - 1) < 0.01 { equal += 1 }
            }
        }
    }

    /// Compares the catalogues of an image, and checks that no flux is missing without a flag.
    private func compare(_ path: String) throws -> Comparison {
        let file = try FITSImage(path)
        let image = TestImage(width: file.width, height: file.height, pixels: try file.pixels())
        let scan = try SerialScan(width: image.width, height: image.height, parameters: ScanParameters())
        let sources = try image.withView(scan.run).sources
        let measured = sources.photometry
        for index in 0..<sources.count {
            let isMeasured = measured.flagAuto[index] & Photometry.notMeasured == 0
            #expect(measured.fluxAuto[index].isFinite == isMeasured, "\(path): source \(index)")
            #expect(measured.fluxErrAuto[index].isFinite == isMeasured, "\(path): source \(index)")
        }
        // source-extractor refuses images that are lower than a mesh of the background, such as spectra.
        guard min(image.width, image.height) >= 64 else { return Comparison() }
        let comparison = Comparison(sources, try SourceExtractor.catalogue(of: image))
        print("\(path): \(sources.count) sources, \(comparison.equal) of \(comparison.count) fluxes within 1 %")
        #expect(Double(comparison.equal) >= 0.98 * Double(comparison.count), "\(path): \(comparison)")
        return comparison
    }

    @Test(
        "in images of the sky", .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)),
        arguments: RealImages.all)
    func skyImages(image: RealImage) throws {
        #expect(try compare(image.path).count >= 5)
    }

    @Test(
        "in all real frames",
        .enabled(if: ProcessInfo.processInfo.environment["SKYFARM_SOAK"] != nil, "takes long: run scripts/soak"))
    func midasFrames() throws {
        let counts = try MidasFrames.paths.map { try compare($0).count }
        #expect(counts.reduce(0, +) > 1000)
    }
}
