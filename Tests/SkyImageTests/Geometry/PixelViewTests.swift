import Testing

import SkyExtraction
import SkyFITS
import SkyTestSupport

@Suite("pixel views")
struct PixelViewTests {
    let image: TestImage = {
        var image = TestImage(width: 4, height: 3, pixels: (0..<12).map(Float.init))
        image.pixels[5] = .nan
        image.pixels[6] = -.infinity
        return image
    }()

    @Test("pixels that are not finite, masked or without weight may not be used")
    func masking() throws {
        #expect(try image.withView { $0.maskedCount } == 2)
        var masked = image
        masked.mask = Array(repeating: 0, count: 12)
        masked.mask?[0] = 7
        #expect(try masked.withView { $0.maskedCount } == 3)
        masked.weights = Array(repeating: 1, count: 12)
        masked.weights?.replaceSubrange(1...4, with: [0, -1, .nan, .infinity])
        var bytes = [UInt8](repeating: 9, count: 12)
        try masked.withView { view in
            #expect(view.maskedCount == 7)
            bytes.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { view.writeMask(to: base) } }
        }
        #expect(bytes == [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    }

    @Test("a cropped view shows the pixels of its rectangle")
    func cropping() throws {
        try image.withView { view in
            let part = try view.cropped(to: PixelRect(x: 1..<3, y: 1..<3))
            #expect(part.pixels[part.stride] == 9 && part.maskedCount == 2)
            #expect(throws: ScanSetupError.self) { try view.cropped(to: PixelRect(x: 1..<5, y: 0..<1)) }
            #expect(throws: ScanSetupError.self) { try view.cropped(to: PixelRect(x: 1..<1, y: 0..<1)) }
        }
    }

    @Test("arrays of another size are refused")
    func sizes() throws {
        let pixels = [Float](repeating: 0, count: 6)
        let bytes = [UInt8](repeating: 0, count: 5)
        let rect = PixelRect(x: 0..<3, y: 0..<2)
        pixels.withUnsafeBufferPointer { pixels in
            bytes.withUnsafeBufferPointer { bytes in
                #expect(throws: ScanSetupError.self) { try PixelView(rect: rect, pixels: pixels, mask: bytes) }
                #expect(throws: ScanSetupError.self) {
                    try PixelView(rect: rect, pixels: pixels, weights: UnsafeBufferPointer(rebasing: pixels[..<4]))
                }
                #expect(throws: ScanSetupError.self) {
                    try PixelView(rect: PixelRect(x: 0..<3, y: 0..<3), pixels: pixels)
                }
            }
        }
    }
}
