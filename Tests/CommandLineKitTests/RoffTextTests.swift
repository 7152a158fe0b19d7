import Testing

import CommandLineKit

@Suite struct RoffTextTests {
    @Test(
        "text is printed as it is",
        arguments: [
            ("--band", "\\-\\-band"), ("it's `x` ~/a^b\\n", "it\\(aqs \\(gax\\(ga \\(ti/a\\(hab\\en"),
            ("3 \u{D7} 3 \u{2192}", "3 \\[u00D7] 3 \\[u2192]"),
        ])
    func escapes(text: String, roff: String) { #expect(RoffText.escaped(text) == roff) }

    @Test("a line that begins with a dot is no macro, and each sentence begins a line")
    func lines() {
        var page = RoffText(title: "t", date: "d", source: "s", manual: "m")
        page.section("A \"name\"")
        page.paragraph(".fits is one ending. Others are .csv and .reg")
        page.paragraph("More.")
        page.item(".conv", "A kernel.")
        #expect(
            page.lines.dropFirst() == [
                ".SH \"A \"\"NAME\"\"\"", "\\&.fits is one ending.", "Others are .csv and .reg", ".PP", "More.", ".TP",
                "\\&.conv", "A kernel.",
            ])
    }
}
