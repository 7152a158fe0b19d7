import ScanBasics
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement
import SkyTestSupport

@Suite("degenerate images")
struct DegenerateImageTests {
    /// Both catalogues of an image, with SEP's faults, equal or the test fails.
    private func scan(_ image: TestImage, _ parameters: ScanParameters, rows: Int? = 1) throws -> SourceTable {
        let reference = try WholeImageSEP(image: image, parameters: parameters).run()
        let scan = try SerialScan(
            width: image.width, height: image.height, parameters: parameters, requestedRows: rows)
        let result = try FaultsOfSEP.$areKept.withValue(true) { try image.withView(scan.run).sources }
        #expect(result.differences(to: reference) == [])
        return result
    }

    static let combinations: [(ScanParameters.Filter, ScanParameters.Noise)] = [
        (.conv, .global), (.conv, .map), (.matched, .map), (.none, .map),
    ]

    static let modes = combinations.map { filter, noise in
        var parameters = ScanParameters()
        (parameters.filter, parameters.noise) = (filter, noise)
        return parameters
    }

    @Test("images of one pixel, row or column", arguments: modes)
    func tiny(parameters: ScanParameters) throws {
        for (width, height) in [(1, 1), (1, 300), (300, 1), (2, 2), (63, 65)] {
            _ = try scan(
                TestImage(width: width, height: height, pixels: Array(repeating: 5, count: width * height)), parameters)
            var random = SplitMix64(seed: 3)
            let noise = (0..<width * height).map { _ in Float.random(in: 0..<9, using: &random) }
            _ = try scan(TestImage(width: width, height: height, pixels: noise), parameters)
        }
    }

    @Test("a constant image has no source", arguments: modes)
    func constant(parameters: ScanParameters) throws {
        for value in [0, 1234.5, -7e5] as [Float] {
            let image = TestImage(width: 130, height: 200, pixels: Array(repeating: value, count: 26000))
            #expect(try scan(image, parameters).count == 0)
        }
    }

    @Test("fully masked bands are allowed, a fully masked image is an error", arguments: modes)
    func masked(parameters: ScanParameters) throws {
        var random = SplitMix64(seed: 4)
        var image = TestImage(
            width: 150, height: 400, pixels: (0..<60000).map { _ in Float.random(in: 0..<40, using: &random) })
        for index in stride(from: 40, to: 60000, by: 977) { image.pixels[index] += 3000 }
        image.mask = (0..<60000).map { (9600..<38400).contains($0) ? 1 : 0 }
        #expect(try scan(image, parameters).count > 0 || parameters.filter == .none)
        for (mask, pixel) in [(1, 5), (nil, .nan)] as [(UInt8?, Float)] {
            image.mask = mask.map { Array(repeating: $0, count: 60000) }
            image.pixels = Array(repeating: pixel, count: 60000)
            let scan = try SerialScan(width: 150, height: 400, parameters: parameters, requestedRows: 64)
            let error = #expect(throws: ScanSetupError.self) { try image.withView(scan.run) }
            #expect(error?.description.contains("masked") == true)
        }
    }

    @Test("pixels too large for SEP, which would derive memory offsets from them, count as NaN")
    func tooLarge() throws {
        var random = SplitMix64(seed: 6)
        var image = TestImage(
            width: 96, height: 200, pixels: (0..<19200).map { _ in Float.random(in: 0..<9, using: &random) })
        for index in stride(from: 500, to: 19200, by: 977) { image.pixels[index] += 3000 }
        var spikes = image
        for index in stride(from: 30, to: 19200, by: 313) {
            image.pixels[index] = .nan
            spikes.pixels[index] = [3.4e38, -3.4e38, 1.3e30, -.infinity][index % 4]
        }
        let scan = try SerialScan(width: 96, height: 200, parameters: ScanParameters(), requestedRows: 64)
        let (expected, result) = (try image.withView(scan.run).sources, try spikes.withView(scan.run).sources)
        #expect(expected.count > 10 && result.differences(to: expected) == [])
    }

    @Test("a kernel larger than the image")
    func largeKernel() throws {
        var parameters = ScanParameters()
        parameters.kernel = try ConvolutionKernel(
            width: 31, height: 31, values: (0..<961).map { Float(1 + $0 % 31) })
        var random = SplitMix64(seed: 4)
        for (width, height) in [(1, 1), (3, 200), (200, 3), (29, 31), (90, 200)] {
            var image = TestImage(
                width: width, height: height,
                pixels: (0..<width * height).map { _ in Float.random(in: 0..<9, using: &random) })
            image.pixels[width * height / 2] = 5000
            _ = try scan(image, parameters)
        }
    }

    @Test("a source as large as the image, over many bands")
    func hugeSource() throws {
        var parameters = ScanParameters()
        (parameters.meshWidth, parameters.meshHeight) = (16, 16)
        parameters.threshold = 0.5
        let pixels = (0..<300 * 900).map { index -> Float in
            let (y, x) = index.quotientAndRemainder(dividingBy: 300)
            return x > 2 && x < 290 && (y / 40 + x / 8) % 2 == 0 || x % 8 == 4 ? 900 : Float(index % 7)
        }
        let image = TestImage(width: 300, height: 900, pixels: pixels)
        #expect(try scan(image, parameters, rows: 16).ymax.contains { $0 >= 890 })
    }
}
