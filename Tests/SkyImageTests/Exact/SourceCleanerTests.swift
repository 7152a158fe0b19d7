import ScanBasics
import SkyTestSupport
import Testing

@testable import SkyImage

@Suite("cleaning")
struct SourceCleanerTests {
    @Test("the survivors are those of SEP's own cleaning", arguments: UInt64(1000)..<1020)
    func equalsSEP(seed: UInt64) throws {
        var field = RandomField(seed: seed)
        field.image.mask = nil
        field.parameters.threshold = 1
        field.parameters.minArea = 3
        for clean in [0.5, 1, 3] {
            field.parameters.clean = clean
            let reference = try WholeImageSEP(image: field.image, parameters: field.parameters).run()
            let scan = try SerialScan(
                width: field.image.width, height: field.image.height, parameters: field.parameters)
            let result = try field.image.withView(scan.run)
            #expect(result.sources.cflux == reference.cflux, "seed \(seed), clean \(clean)")
        }
    }

    @Test("the grid finds every pair within reach", arguments: UInt64(0)..<40)
    func pairs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 0...300, using: &random)
        var x = (0..<count).map { _ in Double.random(in: 0...5000, using: &random) }
        let y = (0..<count).map { _ in Double.random(in: 0...300, using: &random) }
        let a = (0..<count).map { _ in Float.random(in: 0...1, using: &random) * (seed % 2 == 0 ? 5 : 90) }
        if count > 3 { (x[0], x[1], x[2]) = (.nan, -5, 1e30) }
        let grid = NeighbourGrid(x: x, y: y, sizes: a, zone: 10)
        for first in 0..<count {
            var found: [Int] = []
            grid.forEach(after: first) { found.append($0) }
            #expect(Set(found).count == found.count && found.allSatisfy { $0 > first })
            for second in first + 1..<max(first + 1, count) where !found.contains(second) {
                let (dx, dy) = (x[first] - x[second], y[first] - y[second])
                let reach = 10 * Double(a[first] + a[second])
                #expect(dx * dx + dy * dy > reach * reach)
            }
        }
    }
}
