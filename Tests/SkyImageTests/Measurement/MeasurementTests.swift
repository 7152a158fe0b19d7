import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement

@Suite("measurements on request")
struct MeasurementTests {
    static let cases = (ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_CASES"].flatMap(UInt64.init) ?? 150) / 3

    private static func request(_ seed: UInt64) -> MeasurementRequest {
        var request = MeasurementRequest()
        request.masking = MeasurementRequest.Masking.allCases[Int(seed % 3)]
        (request.apertures, request.fluxFractions) = ([3, 12.5], [0.5, 0.9])
        (request.isWindowed, request.vignetteWidth, request.vignetteHeight) = (true, 7, 5)
        request.petrosian = .init()
        var star = PointSpreadTests.star(fwhm: 2.5, step: 0.9, side: 11)
        if seed.isMultiple(of: 2) { star.extend() }
        request.pointSpread = star
        return request
    }

    @Test("they are the same for one band and for many, over random fields")
    func bands() throws {
        var (sources, compared, windows) = (0, 0, 0)
        for seed in 1...Self.cases {
            var field = RandomField(seed: seed)
            field.parameters.measurements = Self.request(seed)
            let (width, height) = (field.image.width, field.image.height)
            if try field.image.withView({ $0.maskedCount }) == width * height { continue }
            func scan(rows: Int, shuffled: Bool) throws -> SerialScan.Result {
                var scan = try SerialScan(
                    width: width, height: height, parameters: field.parameters, requestedRows: rows)
                if shuffled { scan.order = { Array((0..<$0).reversed()) } }
                scan.onOutput = { if $0 is MeasurementResult { windows += 1 } }
                return try field.image.withView(scan.run)
            }
            let whole = try scan(rows: height, shuffled: false)
            let banded = try scan(rows: field.rows, shuffled: true)
            #expect(whole.sources.count == banded.sources.count, "seed \(seed)")
            let request = Self.request(seed)
            // Where the scan itself gives the same bits: SEP rounds barycentres in the window's coordinates.
            let equal = whole.sources.x.indices.filter {
                Self.shape(whole.sources, $0) == Self.shape(banded.sources, $0)
            }
            func bits(_ result: SerialScan.Result, _ quantity: MeasuredQuantity) -> [[UInt64]] {
                // Bit patterns: a radius that has no value is NaN in both.
                result.measurements.components(quantity, request).map { values in equal.map { values[$0].bitPattern } }
            }
            let differing = MeasuredQuantity.allCases.filter { bits(whole, $0) != bits(banded, $0) }
            #expect(differing.isEmpty, "seed \(seed): \(width) x \(height), bands of \(field.rows) rows")
            compared += equal.count
            #expect(whole.measurements.vignettes == banded.measurements.vignettes, "seed \(seed)")
            sources += whole.sources.count
        }
        #expect(sources > 300 && compared * 10 > sources * 8 && windows > Int(Self.cases))
    }

    /// The numbers that determine what is measured of a source.
    private static func shape(_ table: SourceTable, _ index: Int) -> [UInt64] {
        [table.x[index], table.y[index]].map(\.bitPattern)
            + [table.a[index], table.b[index], table.theta[index], table.thresh[index], table.peak[index]].map {
                UInt64($0.bitPattern)
            }
    }

    @Test("the default catalogue does not change if nothing is requested")
    func unrequested() throws {
        let field = RandomField(seed: 7)
        let scan = try SerialScan(
            width: field.image.width, height: field.image.height, parameters: field.parameters)
        let result = try field.image.withView(scan.run)
        #expect(result.measurements == MeasurementTable() && result.sources.count > 0)
    }

    /// Two stars, with the wing of the second in the aperture of the first.
    private static func stars(distance: Double) -> TestImage {
        var image = TestImage(width: 96, height: 96, pixels: [])
        var random = SplitMix64(seed: 5)
        image.pixels = (0..<96 * 96).map { place in
            let (y, x) = (Double(place / 96), Double(place % 96))
            func star(_ cx: Double, _ cy: Double, _ peak: Double) -> Double {
                peak * exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (2 * 2.25))
            }
            let noise = (0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &random) }
            return Float(100 + noise / 1.4 + star(40.3, 48.2, 500) + star(40.3 + distance, 48.2, 400))
        }
        return image
    }

    private static func measure(
        _ image: TestImage, _ change: (inout MeasurementRequest) -> Void
    ) throws -> (SourceTable, MeasurementTable, MeasurementRequest) {
        var parameters = ScanParameters()
        (parameters.meshWidth, parameters.meshHeight) = (96, 96)
        var request = MeasurementRequest()
        change(&request)
        parameters.measurements = request
        let scan = try SerialScan(width: image.width, height: image.height, parameters: parameters)
        let result = try image.withView(scan.run)
        return (result.sources, result.measurements, request)
    }

    @Test("a neighbour counts, is left out, or is replaced by the pixels opposite to it")
    func masking() throws {
        // The flux of the first star alone, in a circle that reaches the second.
        let truth = 500 * 2 * Double.pi * 2.25
        var fluxes: [MeasurementRequest.Masking: Double] = [:]
        for masking in MeasurementRequest.Masking.allCases {
            let (sources, table, request) = try Self.measure(Self.stars(distance: 11)) {
                ($0.masking, $0.apertures) = (masking, [20])
            }
            let first = try #require(sources.x.indices.first { abs(sources.x[$0] - 40.3) < 0.5 })
            fluxes[masking] = table.components(.fluxAper, request)[0][first]
        }
        let (counted, blank) = (try #require(fluxes[.none]), try #require(fluxes[.blank]))
        #expect(counted > truth * 1.15)
        #expect(abs(try #require(fluxes[.correct]) - truth) < truth * 0.05)
        #expect(abs(blank - truth) < truth * 0.05)
    }

    @Test("PHOT_APERTURES are diameters: a pair of them gives the fluxes of circles of half that radius")
    func diameters() throws {
        let (_, table, request) = try Self.measure(Self.stars(distance: 40)) {
            ($0.masking, $0.apertures) = (.none, [10, 4])
        }
        let (sources, _, _) = try Self.measure(Self.stars(distance: 40)) { _ in }
        let brightest = try #require(sources.peak.indices.max { sources.peak[$0] < sources.peak[$1] })
        let fluxes = table.components(.fluxAper, request).map { $0[brightest] }
        // A Gaussian of this sigma has this share of its flux within a radius.
        let share = { (radius: Double) in 1 - exp(-radius * radius / (2 * 2.25)) }
        #expect(abs(fluxes[1] / fluxes[0] - share(2) / share(5)) < 0.02)
    }

    @Test("the windowed centre of a star is its place, and its width that of the profile")
    func windowed() throws {
        let (sources, table, request) = try Self.measure(Self.stars(distance: 40)) { $0.isWindowed = true }
        let first = try #require(sources.x.indices.first { abs(sources.x[$0] - 40.3) < 0.5 })
        func value(_ quantity: MeasuredQuantity) -> Double { table.components(quantity, request)[0][first] }
        #expect(abs(value(.xWin) - 40.3) < 0.02 && abs(value(.yWin) - 48.2) < 0.02)
        // The window narrows the profile: 1 / (1/s² + 1/w²), where the window has the profile's width.
        #expect(abs(value(.x2Win) - 1.125) < 0.06 && value(.flagWin) == 0)
        #expect(abs(value(.fwhm) - 2.3548 * 1.5) < 0.15)
        #expect(value(.errX2Win).squareRoot() < 0.02 && value(.fluxWin) > 30 * value(.fluxErrWin))
    }

    @Test("requests that make no sense are refused")
    func refused() {
        let changes: [(inout MeasurementRequest) -> Void] = [
            { $0.apertures = [] }, { $0.apertures = [-1] }, { $0.apertures = [.nan] }, { $0.fluxFractions = [0] },
            { $0.fluxFractions = [1.5] }, { $0.vignetteWidth = 5 }, { $0.vignetteHeight = -1 },
            { $0.analysisThreshold = 0 }, { $0.saturation = .infinity },
            { ($0.vignetteWidth, $0.vignetteHeight) = (5000, 5000) },
        ]
        for change in changes {
            var parameters = ScanParameters()
            var request = MeasurementRequest()
            change(&request)
            parameters.measurements = request
            #expect(throws: ScanSetupError.self) { try parameters.validate() }
        }
    }
}
