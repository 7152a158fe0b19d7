import Testing

import ImageScanning

@Suite("a live page whose job has ended") struct PageAfterlifeTests {
    @Test("a page that nobody has opened is served until its link is a minute old")
    func unopened() {
        #expect(PageAfterlife(end: 0.2, hasLinks: false).close(lastVisit: nil) == 60)
        #expect(PageAfterlife(end: 0.2, hasLinks: true).close(lastVisit: nil) == 60)
        // A long job leaves time enough to open its page before it ends.
        #expect(PageAfterlife(end: 3600, hasLinks: false).close(lastVisit: nil) == 3600)
    }

    @Test(
        "a page that has been loaded is whole; one whose links lead to others is served until a minute after the last visit"
    )
    func opened() {
        #expect(PageAfterlife(end: 10, hasLinks: false).close(lastVisit: 2) == 10)
        #expect(PageAfterlife(end: 10, hasLinks: false).close(lastVisit: 12) == 17)
        #expect(PageAfterlife(end: 10, hasLinks: true).close(lastVisit: 8) == 68)
        #expect(PageAfterlife(end: 10, hasLinks: true).close(lastVisit: 100) == 160)
        #expect(PageAfterlife(end: 3600, hasLinks: true).close(lastVisit: 5) == 3600)
    }
}
