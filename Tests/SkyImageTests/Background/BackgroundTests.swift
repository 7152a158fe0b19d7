import ScanBasics
import Testing

import SkyExtraction
import SkyFITS
import SkyTestSupport

@Suite("global background")
struct BackgroundTests {
    private func statistics(_ image: TestImage, _ plan: BandPlan, _ parameters: ScanParameters) throws
        -> [MeshStatistics]
    {
        try (0..<plan.count).map { index in
            try image.withView {
                try MeshStatistics(measuring: $0, band: plan[index], parameters: parameters)
            }
        }
    }

    @Test("bands in any order and twice make the background of the whole image", arguments: UInt64(1)...12)
    func reduction(seed: UInt64) throws {
        let field = RandomField(seed: seed)
        let plan = try BandPlan(
            width: field.image.width, height: field.image.height, meshHeight: field.parameters.meshHeight,
            requestedRows: 1)
        var accumulator = BackgroundAccumulator(plan: plan, parameters: field.parameters)
        let parts = try statistics(field.image, plan, field.parameters)
        for part in parts.reversed() {
            #expect(!accumulator.isComplete)
            try accumulator.add(part)
            try accumulator.add(part)
        }
        #expect(accumulator.isComplete)
        let model = try accumulator.reduce()
        #expect(model.maskedPixels == (try field.image.withView { $0.maskedCount }))
        let whole = try BandPlan(
            width: plan.width, height: plan.height, meshHeight: field.parameters.meshHeight,
            requestedRows: plan.height)
        var single = BackgroundAccumulator(plan: whole, parameters: field.parameters)
        try single.add(statistics(field.image, whole, field.parameters)[0])
        #expect(try single.reduce() == model)
    }

    /// Level and noise of a row of the image, as a scan of a slice that holds it has them.
    private func line(_ slice: BackgroundSlice, _ y: Int) throws -> [Float] {
        let rect = PixelRect(x: 0..<slice.width, y: y..<y + 1)
        let zeros = [Float](repeating: 0, count: slice.width)
        return try zeros.withUnsafeBufferPointer { zeros in
            let window = try PreparedPixels.subtracting(slice, from: PixelView(rect: rect, pixels: zeros))
            guard let noise = window.noiseMap else { return [] }
            return rect.x.map { 0 - window.pixels[$0] } + rect.x.map { noise[$0] }
        }
    }

    @Test(
        "a slice gives the lines of libsep's background of the whole image", arguments: [(10, 8), (100, 203), (7, 300)])
    func slices(meshWidth: Int, meshHeight: Int) throws {
        var parameters = ScanParameters()
        (parameters.meshWidth, parameters.meshHeight, parameters.noise) = (meshWidth, meshHeight, .map)
        var random = SplitMix64(seed: 5)
        let pixels = (0..<100 * 203).map { Float($0 % 77) + Float.random(in: 0..<9, using: &random) }
        let image = TestImage(width: 100, height: 203, pixels: pixels)
        let plan = try BandPlan(width: 100, height: 203, meshHeight: meshHeight, requestedRows: 203)
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        try accumulator.add(statistics(image, plan, parameters)[0])
        let model = try accumulator.reduce()
        let expected = try WholeImageSEP(image: image, parameters: parameters).backgroundLines()
        #expect(model.globalNoise == expected.globalNoise && model.globalLevel == expected.globalLevel)
        for y in 0..<203 {
            let slice = model.slice(rows: y..<y + 1)
            try slice.validate()
            #expect(try line(slice, y) == expected.lines[y], "row \(y)")
            #expect(slice.level.values.count <= 3 * ((99 + meshWidth) / meshWidth))
        }
    }

    @Test("statistics that do not fit the image, or are not finite, are refused")
    func refusal() throws {
        let plan = try BandPlan(width: 128, height: 128, meshHeight: 64, requestedRows: 64)
        var accumulator = BackgroundAccumulator(plan: plan, parameters: ScanParameters())
        func make(_ row: Int, _ columns: Int, _ back: [Float]) -> MeshStatistics {
            MeshStatistics(firstRow: row, columns: columns, back: back, sigma: back, maskedPixels: 0)
        }
        for bad in [
            make(2, 2, [1, 1]), make(-1, 2, [1, 1]), make(0, 1, [1, 1]), make(0, 2, [1]), make(0, 2, []),
            make(1, 2, [1, 1, 1, 1]), make(0, 2, [1, .nan]), make(.max, 2, [1, 1]),
        ] {
            #expect(throws: ScanSetupError.self) { try accumulator.add(bad) }
        }
        try accumulator.add(make(0, 2, [1, 1]))
        #expect(throws: ScanSetupError.self) { try accumulator.reduce() }
    }

    @Test("a slice has room for the noise only if the noise is a map", arguments: ScanParameters.Noise.allCases)
    func noiseRoom(noise: ScanParameters.Noise) throws {
        var parameters = ScanParameters()
        (parameters.meshWidth, parameters.meshHeight, parameters.noise) = (4, 4, noise)
        let plan = try BandPlan(width: 16, height: 8, meshHeight: 4)
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        let meshes = (1...8).map(Float.init)
        try accumulator.add(
            MeshStatistics(
                firstRow: 0, columns: 4, back: meshes, sigma: meshes,
                variance: noise == .weights ? meshes.map(Double.init) : [], maskedPixels: 0))
        let slice = try accumulator.reduce().slice(rows: 0..<8)
        #expect((slice.noise != nil) == (noise == .map))
        #expect(slice.level.values.count == 8)
    }
}
