import Testing

import Console

@Suite struct StyledTextTests {
    @Test("a text has its characters, and on a terminal its colours on top")
    func rendering() {
        let text = "node \(name: "alpha") left after \(3) s" as StyledText
        #expect(text.plain == "node alpha left after 3 s" && text.count == 25)
        #expect(text.colored() == "node \u{1b}[1malpha\u{1b}[m left after 3 s")
        let warning = "a \(name: "b")" as StyledText
        #expect(warning.colored(.warning) == "\u{1b}[33ma \u{1b}[m\u{1b}[33;1mb\u{1b}[m")
    }

    @Test("its beginning keeps the styles, and texts are put together")
    func parts() {
        let text = "ab\(name: "cd")ef" as StyledText
        #expect(text.prefix(3) == "ab\(name: "c")" && text.prefix(0) == "" && text.prefix(9) == text)
        #expect("<\(text)>" as StyledText == "<ab\(name: "cd")ef>")
    }
}
