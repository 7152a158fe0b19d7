import SkyImage
import Testing

@testable import SkyScan

@Suite("order of reading")
struct ReadingOrderTests {
    private let windows = (0..<5).map { band in
        WindowPixels(rect: PixelRect(x: 0..<9, y: 10 * band..<10 * band + 12), hasWeights: false, hasMask: false)
    }

    /// The band that should be read ahead after those of `asked` were asked for.
    private func next(after asked: [Int], isFirstPass: Bool, in order: inout ReadingOrder) -> [Int?] {
        asked.map { band in
            let next = isFirstPass ? band + 1 : band - 1
            order.hand(
                windows[band], before: windows.indices.contains(next) ? windows[next] : nil, isFirstPass: isFirstPass)
            return order.next.flatMap { windows.firstIndex(of: $0) }
        }
    }

    @Test("the window after the last one is next")
    func inOrder() {
        var order = ReadingOrder()
        #expect(next(after: [0, 1, 2, 3, 4], isFirstPass: true, in: &order) == [1, 2, 3, 4, nil])
        #expect(next(after: [4, 3, 2], isFirstPass: false, in: &order) == [3, 2, 1])
    }

    @Test("a window that was asked for before its predecessor is not read again")
    func exchanged() {
        var order = ReadingOrder()
        #expect(next(after: [1, 0, 3, 2, 4], isFirstPass: true, in: &order) == [2, 2, 4, 4, nil])
        #expect(next(after: [3, 4, 2, 0, 1], isFirstPass: false, in: &order) == [2, 2, 1, nil, nil])
    }
}
