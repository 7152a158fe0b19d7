import Testing

@testable import skyfarm

@Suite("visits of coordinators")
struct CoordinatorVisitsTests {
    @Test("a node is left alone when the last coordinator has left, until another comes")
    func leftAlone() throws {
        var visits = CoordinatorVisits()
        visits.begin()
        visits.begin()
        let early = visits.end()
        let first = visits.end()
        #expect(early == nil)
        let mark = try #require(first)
        #expect(visits.isLeftAlone(since: mark))
        visits.begin()
        #expect(!visits.isLeftAlone(since: mark))
        let second = visits.end()
        // The time since the first mark has not been one without visitors.
        #expect(!visits.isLeftAlone(since: mark))
        #expect(visits.isLeftAlone(since: try #require(second)))
    }
}
