import Foundation
import SkyCatalogue
import SkyExtraction
import SkyFITS
import Testing

import SkyReport

@Suite("quality of an image") struct ImageQualityTests {
    /// A catalogue of Gaussian stars of 4 pixels' width, with these fluxes, flags and sizes relative to it.
    private func table(_ stars: [(flux: Double, flag: Int16, size: Double)]) -> CatalogueTable {
        func column(_ name: String, _ value: ((flux: Double, flag: Int16, size: Double)) -> Double)
            -> CatalogueTable.Column
        {
            .init(name, description: name, .double(stars.map(value)))
        }
        let sigma = 4 / 2.354820045
        return CatalogueTable(columns: [
            column("a") { sigma * $0.size }, column("b") { 0.9 * sigma * $0.size }, column("x") { _ in 10 },
            column("y") { _ in 20 }, column("xpeak") { _ in 10 }, column("ypeak") { _ in 20 },
            column("flux_auto") { $0.flux }, column("fluxerr_auto") { _ in 10 }, column("kron_radius") { _ in 1.3 },
            column("peak") { $0.flux / (2 * .pi * sigma * sigma * $0.size * $0.size) },
            column("flux_radius") { (4 * $0.size * $0.size + 2 * log(2) / 12).squareRoot() },
            .init("flag", description: "flag", .int16(stars.map(\.flag))),
            .init("flag_kron", description: "flag", .int16(stars.map { _ in 0 })),
            .init("flag_auto", description: "flag", .int16(stars.map { _ in 0 })),
        ])
    }

    private func quality(_ table: CatalogueTable, _ cards: [String] = []) -> ImageQuality {
        ImageQuality(
            table, header: FITSHeader(cards: cards), width: 100, height: 100, background: 100, noise: 2,
            parameters: ScanParameters())
    }

    @Test("point sources are the unflagged, bright ones of the most frequent size")
    func points() throws {
        typealias Star = (flux: Double, flag: Int16, size: Double)
        let stars = (0..<9).map { number -> Star in
            let step = Double(number)
            return (5000 + step, 0, 1 + 0.01 * step)
        }
        let others: [Star] = [(9000, 0, 2), (9000, 1, 1), (9000, 2, 1), (150, 0, 1), (.nan, 0, 1)]
        let quality = quality(table(stars + others))
        #expect(quality.pointSources == 9)
        let seeing = try #require(quality.seeing)
        let expected = 4 * 1.04
        #expect(abs(seeing / expected - 1) < 0.01)
        #expect(abs(try #require(quality.ellipticity) - 0.1) < 1e-6)
    }

    @Test("too few point sources have no seeing, and saturated ones do not count")
    func few() {
        let star = (flux: 5000.0, flag: Int16(0), size: 1.0)
        #expect(quality(table([])).seeing == nil)
        #expect(quality(table(Array(repeating: star, count: 4))).seeing == nil)
        let stars = table(Array(repeating: star, count: 5))
        #expect(quality(stars).seeing != nil && quality(stars).pixelScale == nil && quality(stars).limit == nil)
        // The peak is 276 above a background of 100.
        #expect(quality(stars, ["SATURATE=                300.0"]).pointSources == 0)
        #expect(quality(stars, ["SATURATE=                500.0"]).pointSources == 5)
    }

    @Test("the limit is 5 sigma in the aperture, with the first zero point that the header has")
    func limit() throws {
        let limit = try #require(quality(table([]), ["ZP      =  20.0", "PHOTZP  =  25.5"]).limit)
        #expect(limit.keyword == "PHOTZP")
        // Noise 2, 25 pi pixels.
        #expect(abs(limit.value - (25.5 - 2.5 * log10(5 * 2 * (25 * Double.pi).squareRoot()))) < 1e-9)
    }

    @Test("the scale is that of the coordinates, also where right ascension jumps", arguments: [0.0, 150.0, 360.0])
    func scale(ascension: Double) throws {
        let cards = [
            "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRVAL1  = \(ascension)", "CRVAL2  = 60.0",
            "CRPIX1  = 51.4", "CRPIX2  = 51.0", "CD1_1   = -1.0E-4", "CD1_2   = 2.0E-5", "CD2_1   = 2.0E-5",
            "CD2_2   = 1.0E-4",
        ]
        let scale = try #require(quality(table([]), cards).pixelScale)
        #expect(abs(scale / (3600 * (1.04e-8).squareRoot()) - 1) < 1e-4)
    }
}
