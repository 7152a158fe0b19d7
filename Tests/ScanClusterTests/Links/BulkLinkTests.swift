@testable import ScanCluster
import Testing

@Suite("The link to a system")
struct BulkLinkTests {
    private func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test("carries the bytes of attempts in the order in which the attempts were assigned")
    func order() {
        var link = BulkLink()
        link.begin(1, count: 100, at: moment(0))
        link.begin(2, count: 50, at: moment(0))
        #expect(link.waiting == 150 && link.left(of: 2) == 150 && link.left(of: 3) == nil)
        link.update(1, left: 30, at: moment(1))
        #expect(link.left(of: 1) == 30 && link.left(of: 2) == 80)
        link.update(1, left: 0, at: moment(2))
        link.end(2)
        #expect(!link.isBusy && link.waiting == 0)
    }

    @Test("has its nominal rate until a transfer shows how fast it is at least, or its transport measures it")
    func rate() {
        var link = BulkLink(nominal: 1000)
        #expect(link.expectedRate(isShared: false, at: moment(0)) == 1000)
        link.begin(1, count: 100, at: moment(0))
        #expect(link.isProbed)
        link.update(1, left: 0, at: moment(0.5))
        #expect(link.rate == 200 && !link.isProbed)
        let isOther = link.measure(120, isAlone: true)
        #expect(isOther && link.expectedRate(isShared: false, at: moment(1)) == 120)
        let isLike = link.measure(119, isAlone: false)
        #expect(!isLike)
        #expect(link.expectedRate(isShared: true, at: moment(1)) == 119)
        #expect(link.expectedRate(isShared: false, at: moment(1)) == 120)
        for nonsense in [Double.nan, 0, -1] {
            let isChange = link.measure(nonsense, isAlone: true)
            #expect(!isChange && link.rate == 119)
        }
    }

    @Test("gets no other bytes until its probe has arrived, which shows its rate")
    func probe() {
        var link = BulkLink(nominal: 1e6, probe: 1000, at: moment(1))
        #expect(link.isProbed && link.waiting == 1000)
        link.update(BulkLink.probe, left: 400, at: moment(1.5))
        #expect(link.isProbed)
        link.update(BulkLink.probe, left: 0, at: moment(3))
        #expect(!link.isProbed && !link.isBusy && link.rate == 500)
        #expect(!BulkLink(nominal: 1e6).isProbed)
    }

    @Test("counts as slower the longer it makes no progress")
    func stall() {
        var link = BulkLink(nominal: 1000)
        link.begin(1, count: 10_000, at: moment(0))
        _ = link.measure(1000, isAlone: true)
        link.update(1, left: 9000, at: moment(1))
        #expect(link.expectedRate(isShared: false, at: moment(1.2)) == 1000)
        #expect(link.expectedRate(isShared: false, at: moment(2)) == 250)
    }

    @Test("takes up the bytes of an attempt whose system was to read a copy, and cannot")
    func unread() {
        var link = BulkLink()
        link.update(7, left: 40, at: moment(0))
        #expect(link.left(of: 7) == 40)
    }
}

@Suite("What links share")
struct SharedLinkTests {
    @Test("is recognised by links that are slower together than alone, and has the rate of all together")
    func capacity() {
        var shared = SharedLink()
        shared.measure([(rate: 100, alone: 100)])
        shared.measure([(rate: 100, alone: 100), (rate: 90, alone: nil)])
        #expect(shared.capacity == nil && shared.seconds(for: 1000) == 0)
        shared.measure([(rate: 50, alone: 100), (rate: 50, alone: 100)])
        #expect(shared.capacity == 100 && shared.seconds(for: 1000) == 10)
        shared.measure([(rate: 150, alone: 150)])
        #expect(shared.capacity == 150)
    }
}
