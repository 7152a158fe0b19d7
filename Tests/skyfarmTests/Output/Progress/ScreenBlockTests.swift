import Testing

import Console

@Suite struct ScreenBlockTests {
    @Test("lines are drawn from where the cursor is, which then rests there again")
    func draw() {
        var block = ScreenBlock()
        #expect(block.erase() == "")
        let escape = "\u{1b}["
        #expect(block.draw(["a"]) == "\r\(escape)?7la\(escape)J\r\(escape)?7h")
        #expect(
            block.draw(["a", "b", "c"])
                == "\r\(escape)?7la\(escape)K\r\nb\(escape)K\r\nc\(escape)J\(escape)2A\r\(escape)?7h")
        #expect(block.erase() == "\r\u{1b}7\(escape)K\(escape)B\(escape)J\u{1b}8")
        #expect(block.erase() == "")
    }
}
