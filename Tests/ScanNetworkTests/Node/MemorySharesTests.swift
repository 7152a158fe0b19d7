import ScanNetwork
import Testing

@Suite("memory for the bulk bytes of tasks") struct MemorySharesTests {
    private func take(_ memory: inout MemoryShares, _ count: Int, _ owner: Int, weight: Double = 1) -> Bool {
        defer { #expect(memory.isConsistent) }
        return memory.take(count, for: owner, weight: weight)
    }

    private func giveBack(_ memory: inout MemoryShares, _ count: Int, _ owner: Int) {
        memory.giveBack(count, of: owner)
        #expect(memory.isConsistent)
    }

    @Test("one coordinator has all of it, and a single task may exceed it")
    func alone() {
        var memory = MemoryShares(limit: 100)
        #expect(take(&memory, 100, 1) && !take(&memory, 1, 1))
        giveBack(&memory, 100, 1)
        #expect(take(&memory, 500, 1) && !take(&memory, 1, 1))
        giveBack(&memory, 500, 1)
        #expect(memory.used == 0)
    }

    @Test("coordinators that always want more have it in proportion to their weights, whoever came first")
    func shares() {
        var memory = MemoryShares(limit: 100)
        let weights = [1: 1.0, 2: 1, 3: 2]
        var held: [Int: Int] = [:]
        // The first has all of it before the others come.
        while take(&memory, 5, 1) { held[1, default: 0] += 5 }
        #expect(held == [1: 100])
        // Their tasks end in turn; after each, all ask until they are refused, the first one first.
        for round in 0..<300 {
            let owners = held.filter { $0.value > 0 }.keys.sorted()
            let owner = owners[round % owners.count]
            giveBack(&memory, 5, owner)
            held[owner, default: 0] -= 5
            for owner in 1...3 {
                while take(&memory, 5, owner, weight: weights[owner] ?? 1) { held[owner, default: 0] += 5 }
            }
        }
        for (owner, share) in [1: 25, 2: 25, 3: 50] { #expect(abs(held[owner, default: 0] - share) <= 5, "\(held)") }
    }

    @Test("a task that needs more than its share is not starved by smaller ones")
    func large() {
        var memory = MemoryShares(limit: 100)
        for _ in 0..<10 { #expect(take(&memory, 10, 1)) }
        #expect(!take(&memory, 80, 2))
        var ends = 0
        while !take(&memory, 80, 2) {
            giveBack(&memory, 10, 1)
            ends += 1
            // What is freed is kept for the large one.
            #expect(!take(&memory, 10, 1))
        }
        #expect(ends == 8)
    }

    @Test("one that does not ask again, or has gone, costs the others nothing for long")
    func gone() {
        var memory = MemoryShares(limit: 100)
        for _ in 0..<10 { #expect(take(&memory, 10, 1)) }
        #expect(!take(&memory, 100, 2))
        var ends = 0
        repeat {
            giveBack(&memory, 10, 1)
            ends += 1
            while take(&memory, 10, 1) {}
        } while memory.used < 100 && ends < 1000
        #expect(ends == MemoryShares.patience)
        var other = MemoryShares(limit: 100)
        for _ in 0..<10 { #expect(take(&other, 10, 1)) }
        #expect(!take(&other, 50, 2))
        other.drop(2)
        giveBack(&other, 10, 1)
        #expect(take(&other, 10, 1))
    }
}
