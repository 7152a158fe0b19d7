import CSEP
import ScanBasics
import Testing

import SkyExtraction
import SkyTestSupport

@Suite("smoothed meshes")
struct SmoothedMeshTests {
    /// libsep's background of an image; its caller frees it.
    private func background(
        _ pixels: [Float], columns: Int, mesh: Int, filter: (width: Int, height: Int)
    ) throws -> UnsafeMutablePointer<sep_bkg> {
        var image = sep_image()
        (image.dtype, image.w, image.h) = (SEP_TFLOAT, Int32(columns), Int32(pixels.count / columns))
        var result: UnsafeMutablePointer<sep_bkg>?
        try pixels.withUnsafeBytes { pixels in
            image.data = pixels.baseAddress
            try SEPLibrary.check(
                sep_background(
                    &image, Int32(mesh), 1, Int32(filter.width), Int32(filter.height), 0, &result))
        }
        return try #require(result)
    }

    // The background of a mesh of one pixel is twice that pixel.
    @Test("values, derivatives and median are libsep's, for filters of any size", arguments: UInt64(0)..<60)
    func equalsSEP(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var grid = MeshGrid(
            columns: Int.random(in: 1...30, using: &random), rows: Int.random(in: 1...30, using: &random))
        for index in grid.values.indices {
            let isEqual = Int.random(in: 0..<5, using: &random) == 0
            grid.values[index] = isEqual ? 1.5 : Float.random(in: -3...(seed % 2 == 0 ? 7 : 1000), using: &random)
        }
        var parameters = ScanParameters()
        parameters.meshFilterWidth = Int.random(in: 1...9, using: &random)
        parameters.meshFilterHeight = Int.random(in: 1...9, using: &random)
        let mesh = try SmoothedMesh(filtering: grid, parameters: parameters)
        let expected = try background(
            grid.values.map { $0 / 2 }, columns: grid.columns, mesh: 1,
            filter: (parameters.meshFilterWidth, parameters.meshFilterHeight))
        defer { sep_bkg_free(expected) }
        let count = grid.values.count
        #expect(mesh.values == Array(UnsafeBufferPointer(start: expected.pointee.back, count: count)))
        #expect(mesh.derivatives == Array(UnsafeBufferPointer(start: expected.pointee.dback, count: count)))
        #expect(mesh.median == expected.pointee.global && mesh.columns == grid.columns)
    }

    @Test("the median of many meshes takes no longer if their order is unfavourable", .timeLimit(.minutes(10)))
    func unfavourable() throws {
        let count = 1_000_000
        var grid = MeshGrid(columns: 1, rows: count)
        // Up to the middle and down again: the middle element is the largest of what is left, time and again.
        for index in 0..<count { grid.values[index] = Float(min(index, count - 1 - index)) }
        var parameters = ScanParameters()
        (parameters.meshFilterWidth, parameters.meshFilterHeight) = (1, 1)
        let sorted = grid.values.sorted()
        let median = Float((Double(sorted[count / 2 - 1]) + Double(sorted[count / 2])) / 2)
        #expect(try SmoothedMesh(filtering: grid, parameters: parameters).median == median)
    }

    @Test("the level of some samples is that of a mesh of libsep, however many they are", arguments: UInt64(0)..<30)
    func level(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        // The longest row of a mesh that a scan may have is half of this.
        let count = Int.random(in: 1...(seed % 3 == 0 ? 32_768 : 200), using: &random)
        let lost = seed % 4 == 0 ? Double(seed) / 30 : 0
        let samples = (0..<count).map { _ -> Float in
            if Double.random(in: 0..<1, using: &random) < lost { return -2e30 }
            let noise = (0..<3).reduce(Float(0)) { sum, _ in sum + Float.random(in: -5...5, using: &random) }
            return noise + (Int.random(in: 0..<9, using: &random) == 0 ? 300 : 0)
        }
        let expected = try background(samples, columns: count, mesh: count, filter: (1, 1))
        defer { sep_bkg_free(expected) }
        #expect(MeshStatistics.level(of: samples) == expected.pointee.global)
        #expect(MeshStatistics.level(of: []) == 0)
    }
}
