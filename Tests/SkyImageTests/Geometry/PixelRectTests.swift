import Testing

import SkyFITS

@Suite("pixel rectangles")
struct PixelRectTests {
    let rect = PixelRect(x: 2..<6, y: 10..<13)

    @Test("a rectangle has the right sides and area")
    func sides() {
        #expect(rect.width == 4 && rect.height == 3 && rect.area == 12 && !rect.isEmpty)
        #expect(PixelRect(x: 2..<2, y: 0..<5).isEmpty)
    }

    @Test(
        "a rectangle holds those that do not reach beyond it",
        arguments: [
            (PixelRect(x: 2..<6, y: 10..<13), true), (PixelRect(x: 1..<6, y: 10..<13), false),
            (PixelRect(x: 2..<7, y: 10..<13), false), (PixelRect(x: 3..<4, y: 9..<11), false),
            (PixelRect(x: 3..<4, y: 12..<14), false), (PixelRect(x: 90..<90, y: 0..<5), true),
        ])
    func contains(other: PixelRect, isInside: Bool) {
        #expect(rect.contains(other) == isInside)
    }

    @Test("upper bounds are not inside")
    func pixels() {
        #expect(rect.contains(x: 5, y: 12) && !rect.contains(x: 6, y: 12) && !rect.contains(x: 5, y: 13))
    }

    @Test("clamping cuts, union and expansion grow")
    func combinations() {
        let other = PixelRect(x: 4..<9, y: 0..<11)
        #expect(rect.clamped(to: other) == PixelRect(x: 4..<6, y: 10..<11))
        #expect(rect.union(other) == PixelRect(x: 2..<9, y: 0..<13))
        #expect(rect.expanded(x: 1, y: 2) == PixelRect(x: 1..<7, y: 8..<15))
    }
}
