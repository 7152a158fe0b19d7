import ScanBasics
import SkyTestSupport
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement

@Suite("weight maps")
struct WeightedScanTests {
    private static func field(width: Int = 200, height: Int = 330) -> TestImage {
        var random = SplitMix64(seed: 11)
        var image = TestImage(
            width: width, height: height,
            pixels: (0..<width * height).map { _ in
                Float((0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -5...5, using: &random) })
            })
        for index in stride(from: 777, to: width * (height - 6), by: 1511) {
            for row in 0..<5 { for column in 0..<5 { image.pixels[index + row * width + column] += 90 } }
        }
        return image
    }

    private static func parameters(_ filter: ScanParameters.Filter) -> ScanParameters {
        var parameters = ScanParameters()
        (parameters.filter, parameters.noise) = (filter, .weights)
        return parameters
    }

    /// The catalogue with SEP's faults, equal to whole-image SEP's with the same noise for every band height or the test
    /// fails.
    private func scan(_ image: TestImage, _ parameters: ScanParameters, heights: [Int] = [64]) throws -> SourceTable {
        let reference = try WholeImageSEP(image: image, parameters: parameters).run()
        for rows in heights {
            let scan = try SerialScan(
                width: image.width, height: image.height, parameters: parameters, requestedRows: rows)
            let found = try FaultsOfSEP.$areKept.withValue(true) { try image.withView(scan.run).sources }
            #expect(found.differences(to: reference) == [], "bands of \(rows) rows")
        }
        return reference
    }

    @Test(
        "a real image with its weight map, and with a vignetted one, equals whole-image SEP with that noise",
        .enabled(if: !RealImages.weighted.isEmpty, Comment(rawValue: RealImages.missing)),
        arguments: RealImages.weighted, ScanParameters.Filter.allCases)
    func realImage(real: RealImage, filter: ScanParameters.Filter) throws {
        var image = try TestImage(contentsOf: real.path)
        let flat = try TestImage(contentsOf: #require(real.weights)).pixels
        image.weights = flat
        // In counts of photons the matched filter leaves few sources.
        let least = filter == .matched ? 0 : 50
        #expect(try scan(image, Self.parameters(filter), heights: [128]).count >= least)
        // Darker towards the corners, with a dead column and a dead block.
        image.weights = flat.enumerated().map { index, weight in
            let (row, column) = index.quotientAndRemainder(dividingBy: image.width)
            let (dx, dy) = (Double(2 * column) / Double(image.width) - 1, Double(2 * row) / Double(image.height) - 1)
            let isDead = column == 300 || ((400..<500).contains(row) && (80..<200).contains(column))
            return isDead ? 0 : weight * Float(1e-3 * (1 - 0.4 * (dx * dx + dy * dy)))
        }
        #expect(try scan(image, Self.parameters(filter), heights: [64, 320, 1 << 20]).count >= least)
    }

    @Test("weights are relative: the same times a power of two give the same catalogue")
    func relative() throws {
        var image = Self.field()
        image.weights = image.pixels.indices.map { Float(1 + $0 % 200) }
        let one = try scan(image, Self.parameters(.conv))
        image.weights = image.weights?.map { $0 * 1024 }
        let two = try scan(image, Self.parameters(.conv))
        #expect(one.count > 20 && two.differences(to: one) == [])
    }

    @Test("where the weight is a quarter, the threshold is twice as high")
    func threshold() throws {
        var image = Self.field()
        image.weights = image.pixels.indices.map { $0 / 200 < 165 ? 4 : 1 }
        _ = try scan(image, Self.parameters(.none))
        var parameters = Self.parameters(.none)
        for hasColumns in [false, true] {
            parameters.measurements = hasColumns ? MeasurementRequest() : nil
            let serial = try SerialScan(width: image.width, height: image.height, parameters: parameters)
            let sources = try image.withView(serial.run).sources
            let low = try #require(sources.thresh.first)
            // SEP reads it at the pixel behind an island; SExtractor's is the lowest.
            for index in 0..<sources.count where hasColumns || abs(sources.ymax[index] - 165) > 5 {
                #expect(sources.thresh[index] == (sources.ymin[index] < 165 ? low : 2 * low))
            }
            #expect(Set(sources.thresh).count == 2)
        }
    }

    @Test("pixels without weight are left out, and without any weight there is nothing to scan")
    func noWeight() throws {
        var image = Self.field()
        image.weights = image.pixels.indices.map { $0 % 200 < 100 ? 1 : [0, -3, .nan, .infinity][$0 % 4] }
        let sources = try scan(image, Self.parameters(.matched))
        #expect(sources.count > 5 && sources.xmin.allSatisfy { $0 <= 101 })
        image.weights = image.weights?.map { _ in 0 }
        let scan = try SerialScan(width: 200, height: 330, parameters: Self.parameters(.conv))
        let error = #expect(throws: ScanSetupError.self) { try image.withView(scan.run) }
        #expect(error?.description.contains("masked") == true)
    }

    @Test("a constant image with weights has no source")
    func constant() throws {
        var image = TestImage(width: 100, height: 150, pixels: Array(repeating: 7, count: 15000))
        image.weights = (0..<15000).map { Float(1 + $0 % 7) }
        #expect(try scan(image, Self.parameters(.conv)).count == 0)
    }

    @Test("maps of variances and of noise give the catalogue of the weights that they stand for")
    func kinds() throws {
        var image = Self.field()
        func sources(
            _ map: ScanParameters.WeightMap, _ weights: (Int) -> Float, rescaled: Bool = true
        ) throws -> SourceTable {
            var parameters = Self.parameters(.conv)
            (parameters.weightMap, parameters.rescalesWeights) = (map, rescaled)
            image.weights = (0..<image.pixels.count).map(weights)
            let scan = try SerialScan(width: image.width, height: image.height, parameters: parameters)
            return try image.withView(scan.run).sources
        }
        // Powers of four, so that every kind is exact.
        func deviation(_ place: Int) -> Float { place / 50 % 3 == 0 ? 8 : 4 }
        let weights = try sources(.weight) { 1 / (deviation($0) * deviation($0)) }
        #expect(try sources(.variance) { deviation($0) * deviation($0) } == weights && weights.count > 20)
        let absolute = try sources(.rms, deviation)
        #expect(try sources(.variance, { deviation($0) * deviation($0) }, rescaled: false) == absolute)
        #expect(try sources(.rms, { deviation($0) * 4 }).count < absolute.count && absolute != weights)
    }

    @Test("a given background is subtracted from every pixel; the noise is that of the meshes")
    func givenBackground() throws {
        var image = Self.field()
        var parameters = ScanParameters()
        parameters.backgroundLevel = 64
        func result() throws -> SerialScan.Result {
            let scan = try SerialScan(width: image.width, height: image.height, parameters: parameters)
            return try image.withView(scan.run)
        }
        image.pixels = image.pixels.map { $0 + 64 }
        let given = try result()
        parameters.backgroundLevel = nil
        let measured = try result()
        #expect(given.background.globalLevel == 64 && given.background.globalNoise == measured.background.globalNoise)
        #expect(given.sources.count > 20 && given.sources != measured.sources)
        parameters.backgroundLevel = .nan
        #expect(throws: ScanSetupError.self) { try result() }
    }

    @Test("noise from weights without a weight map is refused")
    func missingMap() throws {
        let scan = try SerialScan(width: 200, height: 330, parameters: Self.parameters(.conv))
        let error = #expect(throws: ScanSetupError.self) { try Self.field().withView(scan.run) }
        #expect(error?.description.contains("no weight map") == true)
    }

    @Test("the scale is the median over the good meshes, of the positive ratios if need be, or 1")
    func scale() {
        func scale(_ noise: [Float], _ variance: [Double]) -> Double {
            var grid = MeshGrid(columns: noise.count, rows: 1)
            grid.values = noise
            return VarianceScale(noise: grid, variance: variance).value
        }
        #expect(scale([2, 3, 4], [1, 1, 1]) == 9)
        #expect(scale([2, 3, 4, MeshStatistics.bad], [1, 1, 2, 5]) == 8)
        #expect(scale([2, 4], [1, 1]) == 10)
        #expect(scale([0, 0, 0, 3, 6], [1, 1, 1, 1, 1]) == 22.5)
        #expect(scale([1, 2], [0, 4]) == 1)
        #expect(scale([0, 0], [1, 1]) == 1 && scale([MeshStatistics.bad], [1]) == 1)
        #expect(scale([2, 3], [.nan, .infinity]) == 1)
    }

    @Test("a mesh's variance is the mean of 1 / weight over its usable pixels")
    func meanVariances() throws {
        var image = TestImage(width: 3, height: 2, pixels: [1, 1, 1, 1, .nan, 1])
        image.weights = [1, 2, 4, 0, 8, 0]
        #expect(try image.withView { try $0.meanVariances(width: 2, height: 2) } == [0.75, 0.25])
        #expect(try image.withView { try $0.meanVariances(width: 1, height: 1) } == [1, 0.5, 0.25, 0, 0, 0])
        var noise = [Float](repeating: 0, count: 6)
        try image.withView { view in
            try noise.withUnsafeMutableBufferPointer { noise in
                if let base = noise.baseAddress { try view.writeNoise(to: base, scale: 4) }
            }
        }
        #expect(noise == [2, Float(2.0.squareRoot()), 1, 1e30, Float(0.5.squareRoot()), 1e30])
    }
}
