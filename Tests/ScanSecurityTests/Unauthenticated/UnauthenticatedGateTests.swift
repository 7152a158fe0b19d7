import ScanBasics
import ScanSecurity
import Testing

@Suite("The gate for unauthenticated connections")
struct UnauthenticatedGateTests {
    private func gate(_ total: Int, _ perAddress: Int) -> UnauthenticatedGate<Int> {
        UnauthenticatedGate(limits: UnauthenticatedLimits(connections: total, connectionsPerAddress: perAddress))
    }

    @Test("accepts the newest connection and evicts the oldest of its address")
    func perAddress() {
        var gate = gate(10, 2)
        #expect(gate.arrive(1, from: "a").isEmpty)
        #expect(gate.arrive(2, from: "a").isEmpty)
        #expect(gate.arrive(3, from: "b").isEmpty)
        #expect(gate.arrive(4, from: "a") == [1])
        #expect(gate.arrive(5, from: "a") == [2])
        #expect(gate.count == 3)
        #expect(gate.isConsistent)
    }

    @Test("evicts from the address that has most when there are too many in all")
    func total() {
        var gate = gate(4, 3)
        for (id, address) in [(1, "b"), (2, "a"), (3, "a"), (4, "c")] { _ = gate.arrive(id, from: address) }
        #expect(gate.arrive(5, from: "d") == [2])
        // Now every address has one: the oldest is evicted.
        #expect(gate.arrive(6, from: "e") == [1])
        #expect(gate.count == 4)
        #expect(gate.isConsistent)
    }

    @Test("forgets a connection that has finished the handshake")
    func leaves() {
        var gate = gate(2, 1)
        _ = gate.arrive(1, from: "a")
        gate.leave(1)
        gate.leave(1)
        #expect(gate.count == 0)
        #expect(gate.arrive(2, from: "a").isEmpty)
        #expect(gate.arrive(2, from: "a").isEmpty, "an identity that comes again replaces itself")
        #expect(gate.isConsistent)
    }

    @Test("admits a coordinator through a flood from its own address")
    func crowd() {
        var gate = UnauthenticatedGate<Int>()
        var evicted: [Int] = []
        for id in 0..<2200 { evicted += gate.arrive(id, from: "lab") }
        evicted += gate.arrive(9999, from: "lab")
        // As many more arrive during its handshake as fit beside it.
        for id in 3000..<3063 { evicted += gate.arrive(id, from: "lab") }
        #expect(!evicted.contains(9999))
        #expect(gate.count == 64)
        #expect(evicted == evicted.sorted())
    }

    @Test("keeps its invariants and limits under random events")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(seed: seed)
        var gate = gate(20, 6)
        var alive: Set<Int> = []
        for id in 0..<5000 {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                if let one = alive.randomElement(using: &generator) {
                    gate.leave(one)
                    alive.remove(one)
                }
            default:
                alive.subtract(gate.arrive(id, from: String(Int.random(in: 0..<8, using: &generator))))
                alive.insert(id)
            }
            #expect(gate.isConsistent && gate.count == alive.count, "seed \(seed), step \(id)")
        }
    }

    @Test("clamps limits below 1 to 1")
    func limits() {
        let limits = UnauthenticatedLimits(connections: 0, connectionsPerAddress: -1, handshakeBytes: 0)
        #expect(limits.connections == 1 && limits.connectionsPerAddress == 1 && limits.handshakeBytes == 1)
        var gate = UnauthenticatedGate<Int>(limits: limits)
        #expect(gate.arrive(1, from: "a").isEmpty)
        #expect(gate.arrive(2, from: "b") == [1])
    }
}
