import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite("A budget of bulk bytes")
struct BulkBudgetStateTests {
    @Test("is given to the first until it is used up, and to the others in their order")
    func order() {
        var budget = Systems.BulkBudget.State<String>(limit: 100)
        #expect(budget.take(60, ticket: 1, waiter: "first") == true)
        #expect(budget.take(40, ticket: 2, waiter: "second") == true)
        #expect(budget.take(50, ticket: 3, waiter: "third") == false)
        #expect(budget.take(10, ticket: 4, waiter: "small, but late") == false)
        #expect(budget.giveBack(40) == [])
        #expect(budget.used == 60)
        #expect(budget.giveBack(60) == ["third", "small, but late"])
        #expect(budget.used == 60)
        #expect(budget.waitingCount == 0)
    }

    @Test("lets one pass that is larger than the budget, alone")
    func alone() {
        var budget = Systems.BulkBudget.State<String>(limit: 100)
        #expect(budget.take(.max, ticket: 1, waiter: "huge") == true)
        #expect(budget.take(1, ticket: 2, waiter: "small") == false)
        #expect(budget.take(.max, ticket: 3, waiter: "as huge") == false)
        #expect(budget.giveBack(.max) == ["small"])
        #expect(budget.giveBack(1) == ["as huge"])
        #expect(budget.giveBack(.max) == [])
    }

    @Test("lets the next pass when the one before it is cancelled")
    func cancel() {
        var budget = Systems.BulkBudget.State<String>(limit: 100)
        #expect(budget.take(50, ticket: 1, waiter: "holder") == true)
        #expect(budget.take(90, ticket: 2, waiter: "large") == false)
        #expect(budget.take(50, ticket: 3, waiter: "small") == false)
        let end = budget.cancel(2)
        #expect(end.cancelled == "large")
        #expect(end.admitted == ["small"])
        let again = budget.cancel(2)
        #expect(again.cancelled == nil && again.admitted.isEmpty)
    }

    @Test("is never exceeded by more than one, and forgets no waiter", arguments: 0..<20)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var budget = Systems.BulkBudget.State<Int>(limit: 100)
        var sizes: [Int: Int] = [:]
        var held: [Int] = []
        for number in 0..<500 {
            sizes[number] = Int.random(in: 0...130, using: &generator)
            if budget.take(sizes[number] ?? 0, ticket: UInt64(number), waiter: number) { held.append(number) }
            while !held.isEmpty, generator.next() % 2 == 0 {
                let done = held.remove(at: Int.random(in: held.indices, using: &generator))
                held += budget.giveBack(sizes[done] ?? 0)
            }
            #expect(budget.used == held.reduce(0) { $0 + (sizes[$1] ?? 0) })
            #expect(budget.used <= 100 || held.count { sizes[$0] != 0 } == 1)
        }
        var passed = held.count
        while !held.isEmpty {
            let admitted = budget.giveBack(sizes[held.removeFirst()] ?? 0)
            passed += admitted.count
            held += admitted
        }
        #expect(budget.waitingCount == 0 && budget.used == 0 && passed > 0)
    }
}
