import CPNG
import SkyReport
import Testing

@Suite struct MaskMarksTests {
    private func marks(_ width: Int, _ height: Int, factor: Int, _ mask: [Float]) -> MaskMarks {
        var marks = MaskMarks(width: width, height: height, factor: factor)
        for row in 0..<height { mask[row * width..<(row + 1) * width].withUnsafeBufferPointer { marks.add(rows: $0) } }
        return marks
    }

    @Test("pixels are counted by their bits, and a square shows its rarest mark")
    func squares() {
        // A column of bad pixels, a ray beside a saturated pixel, and a single bad pixel.
        let mask: [Float] = [
            1, 0, 4, 2, 0,
            9, 0, 0, 0, 8,
            0, 6, 0, 0, 0,
        ]
        let marks = marks(5, 3, factor: 2, mask)
        #expect(marks.counts == [2, 2, 2, 2])
        #expect(marks.marks == [1, 3, 0, 3, 0, 0])
    }

    @Test("values that no mask has are no marks")
    func strange() {
        #expect(marks(4, 1, factor: 1, [.nan, -1, 300, .infinity]).counts == [0, 0, 0, 0])
    }

    @Test("libpng reads marks as their colours, and all else as grey")
    func picture() throws {
        let preview = Preview(width: 3, height: 1, factor: 1, pixels: [0, 5, 10])
        let bytes = preview.png([0, 3, 0])
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        try #require(png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0)
        defer { png_image_free(&image) }
        image.format = png_uint_32(PNG_FORMAT_RGB)
        var pixels = [UInt8](repeating: 0, count: 9)
        try #require(png_image_finish_read(&image, nil, &pixels, 0, nil) != 0)
        #expect(pixels[..<6] == [0, 0, 0, 0xff, 0x5a, 0x1f])
        #expect(pixels[6] > 30 && Set(pixels[6...]).count == 1)
    }
}
