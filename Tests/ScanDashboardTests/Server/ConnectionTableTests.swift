import Testing

@testable import ScanDashboard

@Suite struct ConnectionTableTests {
    @Test("each phase of a connection has a timeout; a watcher has none")
    func phases() {
        var table = ConnectionTable<Int>(requestSeconds: 5, answerSeconds: 30)
        for id in 1...4 { table.arrive(id, at: 0) }
        table.answer(2, at: 4)
        table.answer(3, at: 4)
        table.watch(3)
        table.leave(4)
        #expect(table.overdue(at: 4.9) == [])
        #expect(table.overdue(at: 5) == [1])
        #expect(table.overdue(at: 5) == [])
        #expect(table.overdue(at: 33) == [])
        #expect(table.overdue(at: 34) == [2])
        #expect(table.overdue(at: 1e9) == [] && table.count == 0)
    }
}
