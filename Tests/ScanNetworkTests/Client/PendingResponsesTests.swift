import ScanNetwork
import Testing

@Suite("Pending responses")
struct PendingResponsesTests {
    @Test("gives each request's waiter back once")
    func once() {
        var pending = PendingResponses<String>()
        let first = pending.insert("first")
        let second = pending.insert("second")
        #expect(pending.count == 2)
        #expect(pending.remove(first) == "first")
        #expect(pending.remove(first) == nil)
        #expect(pending.remove(second) == "second")
        #expect(pending.count == 0)
    }

    @Test("does not take a late answer for that to a newer request in the same entry")
    func generations() {
        var pending = PendingResponses<String>()
        let old = pending.insert("old")
        _ = pending.remove(old)
        let new = pending.insert("new")
        #expect(new & 0xffff_ffff == old & 0xffff_ffff)
        #expect(pending.remove(old) == nil)
        #expect(pending.remove(.max) == nil)
        #expect(pending.remove(new) == "new")
    }

    @Test("gives all waiters back at the end")
    func all() {
        var pending = PendingResponses<Int>()
        let requests = (0..<5).map { pending.insert($0) }
        _ = pending.remove(requests[2])
        #expect(pending.removeAll() == [0, 1, 3, 4])
        #expect(pending.removeAll() == [])
        #expect(pending.remove(requests[0]) == nil)
    }
}
