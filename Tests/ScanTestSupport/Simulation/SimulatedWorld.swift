internal import ScanBasics
import ScanCluster
import SkyfarmTesting

/// The events of a simulation, counted: a test checks that the faults occurred.
package enum SimulatedEvent: Int, CaseIterable, Sendable {
    // swift-format-ignore
    case message, lost, duplicated, held, connected, disconnected
    case cut, crash, powerFailure, freeze, drain, slowPeriod, coordinatorKilled, clockJump, journalError
    case attempt, finished, threw, garbage, refused, slow, stuck, cancelled, unknownType, bulkElsewhere, bulkRead
    case bulkUnpacked
    case committed, retried, hedged, givenUp
}

/// What all parts of one simulation share: time, chance, and a record of what happens.
final class SimulatedWorld: @unchecked Sendable {
    // Sendable: all of a simulation runs on the thread that calls ``SimulatedExecutor/run(until:while:_:)``.

    let scenario: SimulationScenario
    let clock = ManualClock()
    let executor: SimulatedExecutor
    var random: SplitMix64
    private(set) var census = [Int](repeating: 0, count: SimulatedEvent.allCases.count)
    /// A digest of all events in their order: two runs of one scenario must have the same.
    private(set) var fingerprint: UInt64 = 0
    private var connections = 0
    private let trace: ((String) -> Void)?
    /// The first fault found.
    private(set) var violation: String?

    init(_ scenario: SimulationScenario, trace: ((String) -> Void)?) {
        self.scenario = scenario
        self.trace = trace
        executor = SimulatedExecutor(clock: clock)
        random = SplitMix64(seed: scenario.seed)
    }

    /// Whether faults are off.
    var isCalm: Bool { clock.now >= scenario.calm }

    func note(_ event: SimulatedEvent, _ node: Int = -1, _ number: Int = 0) {
        census[event.rawValue] += 1
        var mixer = SplitMix64(
            seed: fingerprint ^ UInt64(bitPattern: clock.now.nanoseconds &* 31 &+ Int64(event.rawValue))
                ^ UInt64(truncatingIfNeeded: node) << 40 ^ UInt64(truncatingIfNeeded: number) << 8)
        fingerprint = mixer.next()
        trace?("\(clock.now.seconds) \(event) \(node) \(number)")
    }

    /// A number for a new connection.
    func nextConnection() -> Int {
        connections += 1
        return connections
    }

    func fail(_ words: String) {
        if violation == nil {
            violation = "\(words) (at \(clock.now.seconds) s)"
            trace?("\(clock.now.seconds) VIOLATION \(words)")
        }
    }

    func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        _ = clock.schedule(at: clock.now.advanced(by: delay), body)
    }

    func at(_ instant: Instant, _ body: @escaping @Sendable () -> Void) {
        _ = clock.schedule(at: max(instant, clock.now), body)
    }

    func sleep(until instant: Instant) async {
        await withUnsafeContinuation { waiter in at(instant) { waiter.resume() } }
    }
}
