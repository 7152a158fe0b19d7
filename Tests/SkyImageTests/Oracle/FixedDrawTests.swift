import CSEP
import Testing

import SkyTestSupport

@Suite("libsep as an oracle")
struct FixedDrawTests {
    private static let side = 32

    /// Three sources of equal size in a square, on a pedestal of pixels that belong to none of them.
    private static func blend(x: Int, y: Int) -> Float {
        guard (3..<29).contains(x), (3..<29).contains(y) else { return 0 }
        let peaks = [(x: 10, y: 10), (x: 21, y: 12), (x: 15, y: 22)]
        return peaks.reduce(10) { sum, peak in
            let distance = (x - peak.x) * (x - peak.x) + (y - peak.y) * (y - peak.y)
            return sum + 400 / Float(4 + distance)
        }
    }

    // With a draw that is not fixed, the second copy gets other draws than the first.
    @Test("deblends two copies of a blend alike: its draw is fixed")
    func drawIsFixed() throws {
        let pixels = (0..<Self.side).flatMap { y in (0..<2 * Self.side).map { Self.blend(x: $0 % Self.side, y: y) } }
        var catalogue: UnsafeMutablePointer<sep_catalog>?
        defer { sep_catalog_free(catalogue) }
        try pixels.withUnsafeBytes { pixels in
            var image = sep_image()
            (image.data, image.dtype) = (pixels.baseAddress, SEP_TFLOAT)
            (image.w, image.h) = (Int32(2 * Self.side), Int32(Self.side))
            try SEPLibrary.check(
                sep_extract(&image, 1.5, SEP_THRESH_ABS, 5, nil, 0, 0, SEP_FILTER_CONV, 32, 0.005, 0, 1, &catalogue))
        }
        let found = try #require(catalogue?.pointee)
        let (left, right) = (0..<Int(found.nobj)).reduce(into: ([Int](), [Int]())) { halves, object in
            if found.xmax[object] < Self.side { halves.0.append(object) } else { halves.1.append(object) }
        }
        #expect(left.count > 1 && right.allSatisfy { found.xmin[$0] >= Self.side })
        #expect(left.map { found.npix[$0] } == right.map { found.npix[$0] })
        #expect(left.map { found.flux[$0] } == right.map { found.flux[$0] })
    }
}
