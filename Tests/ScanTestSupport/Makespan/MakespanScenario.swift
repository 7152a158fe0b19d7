internal import ScanBasics

/// A random cluster and a job for it, from a seed: how long the job takes is compared with the time that it takes without
/// one of the nodes, and with what slots and links can give at most.
package struct MakespanScenario: Sendable, CustomStringConvertible {
    /// A node and its own link.
    struct Node: Sendable {
        var slots: Int
        /// Relative to a slot of the coordinator.
        var speed: Double
        var bytesPerSecond: Double
        /// Seconds of a round trip.
        var latency: Double
        var joins = 0.0
        /// When it is lost; nil if it stays.
        var leaves: Double?
        /// The speed that it states.
        var statedSpeed: Double?
    }

    /// A task: seconds on a slot of the coordinator, and its bulk bytes.
    struct Task: Sendable {
        var seconds: Double
        var bytes: Int
    }

    package let seed: UInt64
    /// Slots of the coordinator's own system; 0 for none.
    let localSlots: Int
    var nodes: [Node]
    /// Bytes per second to all nodes together.
    let sharedBytesPerSecond: Double
    let tasks: [Task]
    /// How often the tasks are done, one pass after the other; nodes keep their bytes in between.
    let passes: Int
    /// Cost per second of a slot, as it is assumed; a cost of 1 is a second of a slot of the coordinator.
    let assumedRate: Double?

    /// Seeds of clusters in which a node makes a job slower than it may, and why.
    package static let known: [UInt64: String] = [
        1638: "a task of 64 MB takes four seconds on the links' way, and the last of them are sent again",
        2356: "two nodes share a link and are never measured apart: that of 5 slots gets as many bytes as that of 46",
        2781: "the job has three tasks of 83 MB, and no rate of a link is known when it begins",
    ]

    /// The scenario of a seed: mostly small, at most 60 nodes of 64 slots.
    package init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 0x9e6c_63d0_876a_9a47)
        self.seed = seed
        let count =
            random.chance(0.03) ? Int.random(in: 10...60, using: &random) : Int.random(in: 1...6, using: &random)
        let megabit = 1e6 / 8
        let isShared = random.chance(0.5)
        sharedBytesPerSecond = isShared ? megabit * random.magnitude(10...40_000) : .infinity
        let usual = megabit * random.magnitude(10...40_000)
        let areAlike = random.chance(0.5)
        let latency = random.magnitude(0.0001...0.05)
        localSlots = random.chance(0.1) ? 0 : Int(random.magnitude(1...64))
        let seconds = random.magnitude(0.001...10)
        let bytes = random.magnitude(1e3...100e6)
        let taskCount = Int(random.magnitude(1...500))
        tasks = (0..<taskCount).map { _ in
            let size = Double.random(in: 0.8...1.25, using: &random)
            return Task(seconds: seconds * size, bytes: Int(bytes * size))
        }
        let work = Double(taskCount) * seconds / Double(max(1, localSlots))
        nodes = (0..<count).map { index in
            let isStable = index == 0
            let speed = random.magnitude(0.3...3)
            return Node(
                slots: Int(random.magnitude(1...64)), speed: speed,
                bytesPerSecond: areAlike ? usual : megabit * random.magnitude(10...40_000),
                latency: areAlike ? latency : random.magnitude(0.0001...0.05),
                joins: !isStable && random.chance(0.15) ? Double.random(in: 0...work, using: &random) : 0,
                leaves: !isStable && random.chance(0.1) ? Double.random(in: 0...work, using: &random) : nil,
                statedSpeed: speed * random.magnitude(0.75...1.33))
        }
        passes = random.chance(0.3) ? 2 : 1
        assumedRate = random.chance(0.7) ? random.magnitude(0.5...2) : nil
    }

    /// The same without one node.
    func without(_ index: Int) -> MakespanScenario {
        var other = self
        other.nodes.remove(at: index)
        return other
    }

    /// Whether joins and losses happen.
    var isSteady: Bool { nodes.allSatisfy { $0.joins == 0 && $0.leaves == nil } }

    package var description: String {
        let first = tasks.first
        return """
            seed \(seed): \(tasks.count) tasks of \(first?.seconds ?? 0) s and \(first?.bytes ?? 0) bytes, \(passes) passes, \
            \(localSlots) local slots, shared \(sharedBytesPerSecond) B/s, assumed \(assumedRate ?? 0); \(nodes)
            """
    }
}
