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
