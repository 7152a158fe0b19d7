import Testing

import Console

@Suite struct RepeatedMessagesTests {
    @Test("the first message of each cause is shown, the others are counted")
    func counts() {
        var messages = RepeatedMessages()
        #expect(
            ["a", "b", "a", "a", "c", "b"].map { messages.isFirst(StyledText($0)) } == [
                true, true, false, false, true, false,
            ])
        #expect(messages.lines.map(\.plain) == ["a (2 more times)", "b (1 more time)"])
    }

    @Test("the display writes one message of a cause with its details, and the number of the others at the end")
    func display() {
        let screen = ProgressDisplayTests.Screen()
        let display = ProgressDisplay(style: .none, write: screen.write)
        for band in 1...12 {
            display.message(
                .warning, "band \(band): attempt 1 on far failed: no memory", details: ["far: out of memory"],
                cause: "attempts on far failed: no memory")
        }
        display.message(
            .warning, "band 7: attempt 2 on near failed: no memory", cause: "attempts on near failed: no memory")
        display.finish()
        #expect(
            screen.text == """
                skyfarm: band 1: attempt 1 on far failed: no memory
                skyfarm:   far: out of memory
                skyfarm: band 7: attempt 2 on near failed: no memory
                skyfarm: attempts on far failed: no memory (11 more times)

                """)
    }
}
