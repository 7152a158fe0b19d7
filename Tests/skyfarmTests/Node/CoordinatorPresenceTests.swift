import Testing

import NodeDaemon

@Suite("presence of coordinators")
struct CoordinatorPresenceTests {
    @Test("a node is idle when the last coordinator has left, until another comes")
    func idle() throws {
        var presence = CoordinatorPresence()
        presence.begin()
        presence.begin()
        let early = presence.end()
        let first = presence.end()
        #expect(early == nil)
        let mark = try #require(first)
        #expect(presence.isIdle(since: mark))
        presence.begin()
        #expect(!presence.isIdle(since: mark))
        let second = presence.end()
        // A coordinator was present in the time since the first mark.
        #expect(!presence.isIdle(since: mark))
        #expect(presence.isIdle(since: try #require(second)))
    }
}
