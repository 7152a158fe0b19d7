import SkyFITS
import SkyScan
import Testing

@Suite("order of reading")
struct ReadingOrderTests {
    private let windows = (0..<5).map { band in
        WindowPixels(rect: PixelRect(x: 0..<9, y: 10 * band..<10 * band + 12), hasWeights: false, hasMask: false)
    }

    /// The bands that should be read ahead each time that one of `asked` was asked for.
    private func next(after asked: [Int], isFirstPass: Bool, in order: inout ReadingOrder) -> [[Int]] {
        asked.map { band in
            let following = isFirstPass ? Array(windows[(band + 1)...]) : windows[..<band].reversed()
            order.hand(
                windows[band],
                at: PassPosition(
                    isFirstPass: isFirstPass, following: Array(following.prefix(ReadingOrder.mostAhead)),
                    rest: following.count))
            return order.next.compactMap { windows.firstIndex(of: $0) }
        }
    }

    @Test("the windows after the last one are next")
    func inOrder() {
        var order = ReadingOrder(slots: 1, decompresses: true)
        #expect(next(after: [0, 1, 2, 3, 4], isFirstPass: true, in: &order) == [[1], [2], [3], [4], []])
        #expect(next(after: [4, 3, 2], isFirstPass: false, in: &order) == [[3], [2], [1]])
        order = ReadingOrder(slots: 2, decompresses: true)
        #expect(next(after: [0, 1, 2, 3, 4], isFirstPass: true, in: &order) == [[1, 2], [2, 3], [3, 4], [4], []])
        #expect(next(after: [4, 3, 2], isFirstPass: false, in: &order) == [[3, 2], [2, 1], [1, 0]])
    }

    @Test(
        "as many windows are read ahead as slots may wait for",
        arguments: [(0, 1, 1), (1, 1, 1), (2, 1, 2), (3, 1, 2), (4, 2, 2), (64, 2, 2)])
    func count(slots: Int, plain: Int, compressed: Int) {
        for (decompresses, count) in [(false, plain), (true, compressed)] {
            var order = ReadingOrder(slots: slots, decompresses: decompresses)
            #expect(next(after: [0], isFirstPass: true, in: &order)[0].count == count)
        }
    }

    @Test("the first windows of an image are next before any is asked for")
    func expected() {
        var order = ReadingOrder(slots: 1, decompresses: true)
        order.expect(Array(windows.prefix(2)))
        #expect(order.next == [windows[0]])
        #expect(next(after: [0, 1], isFirstPass: true, in: &order) == [[1], [2]])
    }

    @Test("a window that was asked for before its predecessor is not read again")
    func exchanged() {
        var order = ReadingOrder(slots: 1, decompresses: true)
        #expect(next(after: [1, 0, 3, 2, 4], isFirstPass: true, in: &order) == [[2], [2], [4], [4], []])
        #expect(next(after: [3, 4, 2, 0, 1], isFirstPass: false, in: &order) == [[2], [2], [1], [1], []])
        #expect(next(after: [2, 0, 1, 3], isFirstPass: true, in: &order) == [[3], [1], [3], [4]])
        #expect(next(after: [2, 4, 3, 1, 0], isFirstPass: false, in: &order) == [[1], [3], [1], [0], []])
        order = ReadingOrder(slots: 2, decompresses: true)
        #expect(next(after: [1, 0, 3, 2], isFirstPass: true, in: &order) == [[2, 3], [2, 3], [4, 2], [4]])
        #expect(next(after: [2, 4, 3, 1, 0], isFirstPass: false, in: &order) == [[1, 0], [3, 1], [1], [0], []])
    }

    @Test("a window that is not requested does not delay later ones")
    func overtaken() {
        var order = ReadingOrder(slots: 1, decompresses: true)
        #expect(next(after: [0, 2, 3], isFirstPass: true, in: &order) == [[1], [3], [4]])
    }
}
