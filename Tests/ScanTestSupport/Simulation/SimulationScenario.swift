internal import ScanBasics
import ScanCluster

/// The parameters of a simulation: a workload, a cluster, a network and faults, all derived from a seed.
package struct SimulationScenario: Sendable, CustomStringConvertible {
    /// A node, from the start or later.
    struct Node: Sendable {
        var slots: Int
        var queue: Int
        /// Cost per second of a slot.
        var speed: Double
        var joins: Instant
        /// Whether it runs the tasks of the job.
        var knowsType = true
        /// The files from which it reads bulk bytes by reference; nil if it reads none.
        var files: SimulatedFiles.State?
        /// Whether it unpacks bulk bytes, or fails to; nil if it takes no packed ones.
        var unpacks: Bool?
        /// Units of memory that its tasks may need together.
        var memory = 8
    }

    /// Probabilities of the outcomes of one attempt, while faults are on.
    struct AttemptFaults: Sendable {
        var throwing = 0.0
        var garbage = 0.0
        var refused = 0.0
        var slow = 0.0
        var stuck = 0.0
        var oddSeconds = 0.0
    }

    /// How messages are delivered, while faults are on.
    struct Network: Sendable {
        /// In order and complete, as on a TCP connection; otherwise messages are lost, duplicated and reordered.
        var isStream: Bool
        /// Longest delay, in seconds; the shortest is a tenth of it.
        var latency: Double
        var loss = 0.0
        var duplication = 0.0
    }

    /// The seed of all random numbers.
    package let seed: UInt64
    /// Slots of the coordinator's own system; 0 for none.
    let localSlots: Int
    let nodes: [Node]
    /// Jobs that run at the same time.
    package let jobs: Int
    /// Coordinators, which share the jobs; only the first one is killed, and has local slots.
    package let coordinators: Int
    /// Whether tasks need several slots, or memory.
    let areLarge: Bool
    /// Tasks of each job.
    package let tasks: Int
    /// Seconds that a task takes at most on a node of speed 1.
    let longestTask: Double
    let poisoned: Double
    let bands: UInt64?
    /// Whether tasks are sent with references to their bulk bytes.
    let sendsReferences: Bool
    let network: Network
    let attempts: AttemptFaults
    /// Mean time between two faults of one node, in seconds; nil for none.
    let faultInterval: Double?
    /// From then on no new fault is injected.
    let calm: Instant
    /// When the coordinator is killed and started again.
    let kills: [Instant]
    /// When the whole machine of the coordinator sleeps, and for how long.
    let jumps: [(at: Instant, by: Duration)]
    /// Probability that the journal cannot keep a response, which ends the job until it is started again.
    let journalFaults: Double
    /// Longest time that a consumer takes for a response, in seconds; nil for none.
    let consumption: Double?
    let options: ScanCoordinator.Options
    /// Jobs may end because there was no system for too long.
    let mayStarve: Bool
    /// Costs of the tasks of each job; nil for random ones.
    var costs: [Double]?
    /// When the jobs begin.
    var begins = Instant(nanoseconds: 0)

    /// The scenario of a seed: mostly small, one in 500 with up to 200 nodes and 20,000 tasks.
    package init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d)
        self.seed = seed
        let isLarge = random.chance(1.0 / 500)
        let faults = random.chance(0.9)
        let calmSeconds = faults ? random.magnitude(1...60) : 0
        calm = Instant(seconds: calmSeconds)
        longestTask = random.magnitude(0.001...(isLarge ? 2 : 10))
        let count = isLarge ? Int.random(in: 50...200, using: &random) : Int.random(in: 1...8, using: &random)
        // A generator of its own: the rest of a scenario does not depend on it.
        var traits = SplitMix64(seed: seed &* 0x9e37_79b9_7f4a_7c15)
        sendsReferences = traits.chance(0.5)
        var packing = SplitMix64(seed: seed &* 0xd134_2543_de82_ef95)
        nodes = (0..<count).map { index in
            let slots = Int.random(in: 1...4, using: &random)
            let isLate = index > 0 && random.chance(0.2)
            let knowsType = index == 0 || !traits.chance(0.05)
            let files = traits.chance(0.5) ? SimulatedFiles.State.allCases.randomElement(using: &traits) : nil
            return Node(
                slots: slots, queue: random.chance(0.1) ? 0 : Int.random(in: 1...64, using: &random),
                speed: random.chance(0.2) ? random.magnitude(0.05...1) : 1,
                joins: Instant(seconds: isLate ? Double.random(in: 0...30, using: &random) : 0),
                knowsType: knowsType, files: files,
                unpacks: packing.chance(0.5) ? packing.chance(0.8) : nil)
        }
        localSlots = random.chance(0.5) ? Int.random(in: 1...4, using: &random) : 0
        var sharing = SplitMix64(seed: seed &* 0xa076_1d64_78bd_642f)
        coordinators = sharing.chance(0.2) ? 2 : 1
        areLarge = sharing.chance(0.25)
        jobs = max(random.chance(0.2) ? 2 : 1, coordinators)
        tasks = isLarge ? Int.random(in: 2000...20_000, using: &random) : Int(random.magnitude(1...400))
        poisoned = random.chance(0.1) ? 0.05 : 0
        bands = random.chance(0.3) ? UInt64.random(in: 1...40, using: &random) : nil
        let isStream = random.chance(0.7)
        network = Network(
            isStream: isStream, latency: random.magnitude(0.0001...0.2),
            loss: isStream || !faults ? 0 : random.magnitude(0.001...0.1),
            duplication: isStream || !faults ? 0 : random.magnitude(0.001...0.1))
        var attempts = AttemptFaults()
        func rate() -> Double { random.chance(0.3) ? random.magnitude(0.001...0.1) : 0 }
        if faults {
            attempts = AttemptFaults(
                throwing: rate(), garbage: rate(), refused: rate(), slow: rate(), stuck: rate(), oddSeconds: rate())
        }
        self.attempts = attempts
        faultInterval = faults && random.chance(0.8) ? random.magnitude(1...100) * (isLarge ? 10 : 1) : nil
        func moments() -> [Instant] {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Instant(seconds: Double.random(in: 0...max(1, calmSeconds), using: &random))
            }
        }
        kills = faults && random.chance(0.15) ? moments() : []
        jumps = faults && random.chance(0.1) ? moments().map { ($0, .seconds(random.magnitude(0.1...100))) } : []
        journalFaults = faults && random.chance(0.1) ? 0.02 : 0
        consumption = random.chance(0.1) ? random.magnitude(0.0001...0.1) : nil
        mayStarve = faults && random.chance(0.05)
        // Without a time-out only a broken connection ends an attempt: a lost message, or a scan that never ends, is
        // not detected.
        let needsTimeout = !isStream || attempts.stuck > 0
        let slowest = nodes.map(\.speed).min() ?? 1
        options = .init(
            timeout: needsTimeout || random.chance(0.2) ? .seconds(10 + 20 * longestTask / slowest) : nil,
            waitForSystems: mayStarve ? .seconds(1) : .seconds(3600),
            responseBuffer: random.chance(0.2) ? Int.random(in: 1...8, using: &random) : 256)
    }

    /// A cluster without faults, whose nodes of `slots` slots do a job of one task for each of `costs`, in seconds of a
    /// slot; the time that a task takes differs from that by up to a fifth. The job begins when all nodes have joined.
    package init(seed: UInt64, nodes count: Int, slots: Int, costs: [Double]) {
        self.seed = seed
        let start = Instant(nanoseconds: 0)
        nodes = (0..<count).map { _ in Node(slots: slots, queue: slots, speed: 1, joins: start) }
        (localSlots, jobs, tasks) = (0, 1, costs.count)
        (coordinators, areLarge) = (1, false)
        self.costs = costs
        begins = Instant(seconds: 10)
        longestTask = costs.max() ?? 0
        (poisoned, bands, sendsReferences) = (0, nil, false)
        network = Network(isStream: true, latency: 0.0002)
        attempts = AttemptFaults()
        (faultInterval, calm, kills, jumps) = (nil, start, [], [])
        (journalFaults, consumption, mayStarve) = (0, nil, false)
        options = .init()
    }

    /// Tasks of the job of that number.
    func makeTasks(job: Int) -> [SimulatedTask] {
        if let costs {
            return costs.enumerated().map {
                SimulatedTask(id: job << 32 | $0.offset, cost: $0.element, isPoisoned: false, band: nil)
            }
        }
        var random = SplitMix64(seed: seed ^ UInt64(job + 1) << 56)
        // A generator of its own, as above.
        var needs = SplitMix64(seed: seed &* 0xe703_7ed1_a0b4_28db ^ UInt64(job + 1))
        return (0..<tasks).map { number in
            var task = SimulatedTask(
                id: job << 32 | number, cost: longestTask * Double.random(in: 0.1...1, using: &random),
                isPoisoned: random.chance(poisoned), band: bands.map { UInt64(number) % $0 })
            if areLarge, needs.chance(0.3) {
                // The first node can do any task.
                task.slots = Int.random(in: 1...nodes[0].slots, using: &needs)
                task.requiredMemory = Int.random(in: 0...nodes[0].memory, using: &needs)
            }
            return task
        }
    }

    /// Time after which a job must have ended, with room for the longest back-offs.
    var limit: Instant {
        let work = Double(jobs * tasks) * longestTask / (nodes.map(\.speed).min() ?? 1)
        return calm.advanced(by: .seconds(7200 + 4 * work))
    }

    package var description: String {
        """
        seed \(seed): \(coordinators) coordinator(s), \(jobs) job(s) of\(areLarge ? " large" : "") \(tasks) tasks of up to \(longestTask) s, poisoned \(poisoned), bands \(bands ?? 0); \
        \(nodes.count) nodes of \(nodes.reduce(0) { $0 + $1.slots }) slots, \(localSlots) local; network \(network); \
        \(attempts); node faults every \(faultInterval ?? .infinity) s; calm at \(calm.seconds) s; \
        kills at \(kills.map(\.seconds)) s; jumps \(jumps.map { "\($0.at.seconds)+\($0.by)" }); journal faults \
        \(journalFaults); consumption \(consumption ?? 0) s; \(options)
        """
    }
}

extension Instant {
    init(seconds: Double) { self = Instant(nanoseconds: 0).advanced(by: .seconds(seconds)) }

    var seconds: Double { since(Instant(nanoseconds: 0)) / .seconds(1) }
}

extension SplitMix64 {
    /// True with this probability.
    mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &self) < probability
    }

    /// A number of the range, distributed uniformly over its magnitudes.
    mutating func magnitude(_ range: ClosedRange<Double>) -> Double {
        var octaves = 0
        while range.lowerBound * Double(1 << (octaves + 1)) < range.upperBound { octaves += 1 }
        let low = range.lowerBound * Double(1 << Int.random(in: 0...octaves, using: &self))
        return Double.random(in: low...Swift.min(2 * low, range.upperBound), using: &self)
    }
}
