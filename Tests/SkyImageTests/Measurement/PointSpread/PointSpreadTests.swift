import Foundation
import SkyExtraction
import SkyFITS
import SkyMeasurement
import Testing

@Suite("point spread functions")
struct PointSpreadTests {
    /// A star, `fwhm` pixels wide, whose samples are `step` pixels apart, with a flux of 1.
    static func star(fwhm: Double = 3, step: Double = 0.7, side: Int = 25) -> PointSpreadModel {
        let variance = fwhm * fwhm / (8 * log(2.0))
        let samples = (0..<side * side).map { place in
            let (x, y) = (Double(place % side - side / 2) * step, Double(place / side - side / 2) * step)
            return Float(exp(-(x * x + y * y) / (2 * variance)) / (2 * .pi * variance))
        }
        return PointSpreadModel(width: side, height: side, step: step, fwhm: fwhm, samples: samples)
    }

    /// The pixels of sources of the same width at some places.
    private static func stamp(_ model: PointSpreadModel, _ sources: [(x: Double, y: Double, flux: Double)])
        -> PointSpreadStamp
    {
        let rect = PixelRect(x: 90..<111, y: 40..<61)
        var values = [Double](repeating: 0, count: rect.area)
        for source in sources {
            let pixels = model.local(x: 1, y: 1).pixels(
                x: source.x - 90, y: source.y - 40, columns: rect.width, rows: rect.height)
            for place in values.indices { values[place] += source.flux * pixels[place] }
        }
        return PointSpreadStamp(rect: rect, values: values, variances: Array(repeating: 4, count: rect.area))
    }

    @Test("interpolated pixels keep the flux and the centre", arguments: [0.6, 1, 1.3])
    func pixels(step: Double) {
        let pixels = Self.star(step: step).local(x: 1, y: 1).pixels(x: 20.3, y: 19.8, columns: 41, rows: 41)
        let flux = pixels.reduce(0, +)
        let x = pixels.indices.reduce(0) { $0 + pixels[$1] * Double($1 % 41) } / flux
        let y = pixels.indices.reduce(0) { $0 + pixels[$1] * Double($1 / 41) } / flux
        // Lanczos kernels keep the sum, and the first moment to about a hundredth of a sample.
        #expect(abs(flux - 1) < 0.005 && abs(x - 20.3) < 0.02 && abs(y - 19.8) < 0.02, "\(flux), \(x), \(y)")
        let variance = 9 / (8 * log(2.0))
        let deviations = pixels.indices.map { place in
            let (x, y) = (Double(place % 41) - 20.3, Double(place / 41) - 19.8)
            return abs(pixels[place] * 2 * .pi * variance - exp(-(x * x + y * y) / (2 * variance)))
        }
        #expect((deviations.max() ?? 1) < 0.01, "\(deviations.max() ?? 1) of the star's peak")
    }

    @Test("the samples are polynomials of the position, powers of x first")
    func terms() {
        var model = PointSpreadModel(width: 1, height: 1, step: 1, fwhm: 1, samples: [1, 10, 100, 1000, 1e4, 1e5])
        (model.degree, model.originX, model.originY, model.scaleX, model.scaleY) = (2, 101, 201, 10, 100)
        #expect(model.local(x: 121, y: 501).values == [1 + 20 + 400 + 3000 + 6e4 + 9e5])
        #expect(model.local(x: 101, y: 201).values == [1])
    }

    @Test("a fit finds flux and position from a place that is off")
    func fit() {
        let model = Self.star()
        let stamp = Self.stamp(model, [(100.31, 49.77, 5000)])
        let fit = PointSpreadFit(model.local(x: 1, y: 1), stamp, x: 100.9, y: 49.2, limit: 3)
        #expect(abs(fit.x - 100.31) < 1e-3 && abs(fit.y - 49.77) < 1e-3 && abs(fit.flux - 5000) < 0.1)
        #expect(fit.chi2 < 1e-6 && fit.iterations < 12)
        // The noise of a flux under constant noise is that of a pixel over the root of the sum of the squares.
        let pixels = model.local(x: 1, y: 1).pixels(x: 10.31, y: 9.77, columns: 21, rows: 21)
        let expected = 2 / pixels.reduce(0) { $0 + $1 * $1 }.squareRoot()
        #expect(abs(fit.fluxErr / expected - 1) < 0.01 && fit.errX2 > 0 && abs(fit.errXY) < fit.errX2)
    }

    @Test("pixels without a variance do not count")
    func neighbour() {
        let model = Self.star()
        var stamp = Self.stamp(model, [(98, 50, 3000), (103.5, 50, 9000)])
        for place in stamp.variances.indices where place % 21 >= 11 { stamp.variances[place] = 0 }
        let fit = PointSpreadFit(model.local(x: 1, y: 1), stamp, x: 98, y: 50, limit: 3)
        #expect(abs(fit.flux - 3000) < 60 && abs(fit.x - 98) < 0.1, "\(fit.flux), \(fit.x)")
    }

    @Test("without a positive flux there is no fit, and the barycentre remains")
    func failure() {
        let model = Self.star()
        for stamp in [Self.stamp(model, [(100, 50, -40)]), Self.stamp(model, [])] {
            let fit = PointSpreadFit(model.local(x: 1, y: 1), stamp, x: 100, y: 50, limit: 3)
            #expect(fit.flux == 0 && fit.fluxErr == 0 && fit.x == 100 && fit.y == 50 && fit.errX2 == 0)
        }
        var empty = Self.stamp(model, [(100, 50, 4000)])
        empty.variances = Array(repeating: 0, count: empty.variances.count)
        #expect(PointSpreadFit(model.local(x: 1, y: 1), empty, x: 100, y: 50, limit: 3).flux == 0)
        // A neighbour far away draws the position beyond the limit.
        let far = Self.stamp(model, [(100, 50, 10), (107, 50, 90_000)])
        #expect(PointSpreadFit(model.local(x: 1, y: 1), far, x: 103, y: 50, limit: 1).x == 103)
    }

    @Test("a disc widens the function and keeps its flux; stars have a spread of 0, galaxies a positive one")
    func spread() throws {
        var model = Self.star()
        model.extend()
        let (plain, wide) = (model.local(x: 1, y: 1), try #require(model.localExtended(x: 1, y: 1)))
        let (flux, wideFlux) = (plain.values.reduce(0, +), wide.values.reduce(0, +))
        #expect(abs(wideFlux / flux - 1) < 1e-3 && wide.values.max() ?? 0 < plain.values.max() ?? 0)
        func measure(_ width: Double) -> SpreadMeasure {
            let stamp = Self.stamp(Self.star(fwhm: width), [(100.2, 50.4, 5000)])
            return SpreadMeasure(plain, disc: wide, stamp, x: 100.2, y: 50.4)
        }
        #expect(abs(measure(3).value) < 1e-6 && measure(3).error > 0)
        #expect(measure(3.6).value > 0.003 && measure(2.5).value < -0.003)
        let none = SpreadMeasure(plain, disc: wide, Self.stamp(model, []), x: 100, y: 50)
        #expect(none.value == 0 && none.error == 1)
    }

    @Test("an inconsistent model is refused")
    func validation() throws {
        let model = Self.star()
        try model.validate()
        let changes: [(inout PointSpreadModel) -> Void] = [
            { $0.width = 0 }, { $0.degree = 1 }, { $0.step = .nan }, { $0.fwhm = 0 }, { $0.scaleX = 0 },
            { $0.samples[3] = .nan }, { $0.extended = [1] }, { $0.originY = .infinity }, { $0.height = 256 },
            { $0.degree = -1 },
        ]
        for change in changes {
            var model = model
            change(&model)
            #expect(throws: ScanSetupError.self) { try model.validate() }
        }
        var request = MeasurementRequest()
        request.pointSpread = model
        request.pointSpread?.samples = []
        #expect(throws: ScanSetupError.self) { try request.validate() }
    }

    @Test("another model has another description, for the identity of a job")
    func identity() {
        let model = Self.star()
        var other = model
        other.samples[7] += 1
        #expect(String(reflecting: model) == String(reflecting: Self.star()))
        #expect(String(reflecting: model) != String(reflecting: other))
    }
}
