import CPNG
import SkyReport
import Testing

@Suite struct CalibrationPageTests {
    private static let hostile = "</td><script>alert(\"1\")</script>&\u{202e}\u{7}"

    private func page(_ words: String) -> String {
        let preview = Preview(width: 2, height: 1, factor: 1, pixels: [1, 2])
        var section = CalibrationPage.Section(words, words)
        section.warnings = [words]
        section.figures = [.init(words, words, isStrange: true)]
        section.pictures = [.init(words, of: preview, png: preview.png())]
        section.hasMarks = true
        section.table = .init([[.init(words, words), .init("Level", "1", isStrange: true)]], summary: words)
        section.command = words
        let page = CalibrationPage(words, words, [.init("Frames", words)], [section])
        return String(decoding: page.html(), as: UTF8.self)
    }

    @Test("the page has no script, needs no other file and sends nothing anywhere")
    func selfContained() {
        let page = page("flat.fits")
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        #expect(page.contains("default-src 'none'; img-src data:; ") && page.contains("script-src 'none'"))
        #expect(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"))
        #expect(page.contains("<summary>flat.fits</summary>") && page.contains("<dd class=\"strange\">flat.fits</dd>"))
        #expect(page.contains("<th scope=\"col\" class=\"number\">Level</th>"))
        #expect(page.contains("<td data-title=\"Level\" class=\"number strange\">1</td>"))
    }

    @Test("names and values of headers are text, whatever they hold")
    func escaped() {
        let page = page(Self.hostile)
        #expect(!page.contains("<script") && !page.contains("\u{202e}") && !page.contains("\u{7}"))
        #expect(page.contains("alt=\"&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"))
        let tags = { (text: String) in text.matches(of: /<[^>]*>/).count }
        #expect(tags(page) == tags(self.page("x")))
    }
}

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

@Suite struct ImageSampleTests {
    private func sample(_ pixels: [Float], width: Int, limit: Int) -> ImageSample {
        var sample = ImageSample(width: width, height: pixels.count / width, limit: limit)
        for start in stride(from: 0, to: pixels.count, by: width) {
            pixels[start..<start + width].withUnsafeBufferPointer { sample.add($0) }
        }
        sample.finish()
        return sample
    }

    @Test("all values of a small image count, but those that are no number")
    func small() {
        let sample = sample([5, 1, .nan, 3, 4, .infinity, 2, 6], width: 4, limit: 100)
        #expect(sample.missing == 2 && sample.count == 8 && sample.sum == 21)
        #expect(sample.value(at: 0) == 1 && sample.value(at: 0.5) == 3 && sample.value(at: 1) == 6)
        #expect(sample.share(below: 3) == 2.0 / 6 && sample.share(below: 100) == 1 && sample.share(below: 0) == 0)
        let none = self.sample([.nan, .nan], width: 2, limit: 100)
        #expect(none.value(at: 0.5) == nil && none.share(below: 1) == 0 && none.missing == 2)
    }

    @Test("the values of a large one are of all its columns", arguments: [100, 128, 90, 105])
    func large(width: Int) {
        // A third of the columns is dark.
        let pixels = (0..<width * 200).map { Float($0 % width % 3 == 0 ? 0 : 1) }
        let sample = sample(pixels, width: width, limit: 1000)
        #expect(abs(sample.share(below: 0.5) - 0.34) < 0.03)
    }
}
