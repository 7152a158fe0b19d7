import ScanBasics
import Testing

import SkyExtraction
import SkyFITS

@Suite("touching boxes")
struct TouchingBoxesTests {
    private func box(_ x: Range<Int>, _ y: Range<Int>, _ member: Int) -> TouchingBoxes.Box {
        TouchingBoxes.Box(rect: PixelRect(x: x, y: y), members: [member])
    }

    @Test("boxes merge up to the gap, also over corners")
    func gap() {
        let apart = TouchingBoxes([box(0..<5, 0..<5, 0), box(8..<9, 0..<5, 1)], gap: 2).merged()
        #expect(apart.count == 2)
        let near = TouchingBoxes([box(0..<5, 0..<5, 0), box(7..<9, 7..<8, 1)], gap: 2).merged()
        #expect(near.map(\.rect) == [PixelRect(x: 0..<9, y: 0..<8)])
        #expect(near[0].members == [0, 1])
    }

    @Test("a merged box absorbs boxes that the sweep has passed")
    func repeatedSweep() {
        // The second and third touch at row 20; their common box covers the first.
        let merged = TouchingBoxes(
            [box(50..<60, 0..<5, 0), box(0..<10, 0..<30, 1), box(10..<90, 20..<25, 2)], gap: 0
        ).merged()
        #expect(merged.count == 1 && merged[0].members == [0, 1, 2])
    }

    @Test("the result is that of merging pair by pair", arguments: UInt64(0)..<80)
    func equalsPairs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var boxes: [TouchingBoxes.Box] = []
        for member in 0..<Int.random(in: 0...60, using: &random) {
            let (x, y) = (Int.random(in: 0..<400, using: &random), Int.random(in: 0..<400, using: &random))
            boxes.append(
                box(
                    x..<x + Int.random(in: 1...40, using: &random), y..<y + Int.random(in: 1...40, using: &random),
                    member))
        }
        var slow = boxes
        search: while true {
            for first in slow.indices {
                for second in slow.indices where second > first {
                    let grown = slow[first].rect.expanded(x: 2, y: 2)
                    let other = slow[second].rect
                    // Touching within the gap: the half-open ranges may share a bound.
                    guard grown.x.upperBound >= other.x.lowerBound, other.x.upperBound >= grown.x.lowerBound,
                        grown.y.upperBound >= other.y.lowerBound, other.y.upperBound >= grown.y.lowerBound
                    else { continue }
                    slow[first].rect = slow[first].rect.union(other)
                    slow[first].members = (slow[first].members + slow[second].members).sorted()
                    slow.remove(at: second)
                    continue search
                }
            }
            break
        }
        let merged = TouchingBoxes(boxes, gap: 2).merged()
        #expect(Set(merged.map(\.members)) == Set(slow.map(\.members)))
        #expect(Set(merged.map(\.rect)) == Set(slow.map(\.rect)))
    }
}
