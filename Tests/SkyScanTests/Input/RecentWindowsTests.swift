import ScanCluster
import SkyFITS
import SkyScan
import Testing

@Suite("windows kept for the next pass")
struct RecentWindowsTests {
    private func window(_ row: Int) -> WindowPixels {
        WindowPixels(rect: PixelRect(x: 0..<5, y: row..<row + 2), hasWeights: false, hasMask: false)
    }

    private func bytes(_ value: UInt8) -> BulkBytes {
        BulkBytes(byteCount: 40) { target in for index in target.indices { target[index] = value } }
    }

    @Test("the last ones that fit are kept, each until it is taken")
    func limit() {
        var recent = RecentWindows(limit: 100)
        for row in 0..<3 { recent.add(window(row), bytes(UInt8(row))) }
        #expect(recent.byteCount == 80)
        #expect(!recent.contains(window(0)) && recent.contains(window(1)) && recent.contains(window(2)))
        #expect(recent.take(window(0)) == nil)
        #expect(recent.take(window(2))?.withUnsafeBytes { $0[0] } == 2)
        #expect(recent.take(window(2)) == nil)
        #expect(recent.byteCount == 40)
    }

    @Test("a window read again replaces itself")
    func again() {
        var recent = RecentWindows(limit: 100)
        for value: UInt8 in [1, 2] { recent.add(window(0), bytes(value)) }
        #expect(recent.byteCount == 40)
        #expect(recent.take(window(0))?.withUnsafeBytes { $0[0] } == 2)
        #expect(recent.byteCount == 0)
    }

    @Test("a window that later ones would displace is not kept")
    func early() {
        var recent = RecentWindows(limit: 100)
        for (row, rest) in [(0, 4), (1, 3), (2, 2), (4, 0), (3, 1)] { recent.add(window(row), bytes(1), before: rest) }
        #expect((0..<5).map { recent.contains(window($0)) } == [false, false, false, true, true])
        recent.add(window(5), bytes(1), before: .max)
        #expect(recent.byteCount == 80)
    }

    @Test("with a limit of 0 no window is kept")
    func none() {
        var recent = RecentWindows(limit: 0)
        recent.add(window(0), bytes(1))
        #expect(recent.byteCount == 0 && !recent.contains(window(0)))
    }
}
