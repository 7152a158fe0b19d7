import ScanBasics
import Testing

import SkyExtraction

@Suite("bad meshes")
struct MeshGridTests {
    /// SEP's algorithm, over all pairs.
    private func slowFill(_ grid: MeshGrid, empty: Float) -> [Float] {
        grid.values.indices.map { index in
            guard grid.values[index] <= MeshStatistics.bad else { return grid.values[index] }
            let (row, column) = index.quotientAndRemainder(dividingBy: grid.columns)
            var (best, sum, count) = (Int.max, Float(0), Float(0))
            for (other, value) in grid.values.enumerated() where value > MeshStatistics.bad {
                let (y, x) = other.quotientAndRemainder(dividingBy: grid.columns)
                let distance = (y - row) * (y - row) + (x - column) * (x - column)
                if distance < best {
                    (best, sum, count) = (distance, value, 1)
                } else if distance == best {
                    sum += value
                    count += 1
                }
            }
            return count == 0 ? empty : sum / count
        }
    }

    @Test("bad meshes take the mean of the nearest valid ones, bit-identical to SEP's algorithm", arguments: 0..<60)
    func fill(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var grid = MeshGrid(
            columns: Int.random(in: 1...14, using: &random), rows: Int.random(in: 1...14, using: &random))
        let share = Double.random(in: 0...1, using: &random)
        for index in grid.values.indices where Double.random(in: 0..<1, using: &random) < share {
            grid.values[index] = Float.random(in: -1...1, using: &random)
        }
        let expected = slowFill(grid, empty: 7)
        grid.fillBadMeshes(empty: 7)
        #expect(grid.values == expected)
    }
}
