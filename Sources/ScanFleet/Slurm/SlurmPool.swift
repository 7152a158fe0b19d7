package import CommandLineKit
import Console
package import ImageScanning
package import ScanCluster

/// Decides how many nodes to request from Slurm, and which of them can be used. Events are the states of the tasks of
/// its arrays; actions are orders to Slurm. Pure.
package struct SlurmPool: Sendable {
    /// The requested number of nodes.
    package enum Size: Equatable, Sendable {
        /// A fixed number, requested once.
        case fixed(Int)
        /// As many as the waiting tasks need, within a range.
        case elastic(ClosedRange<Int>)
    }

    package enum Event: Sendable {
        /// Slurm accepted tasks with these IDs. If `stay` is true, their nodes do not leave when they are idle.
        case submitted([String], stay: Bool)
        /// Slurm refused to accept tasks.
        case refused(String)
        /// The tasks that Slurm reports, and the number of waiting tasks of Skyfarm.
        case queue([String: SlurmTask], waiting: Int)
        /// The node of a task started.
        case joined(id: String, address: SocketAddress, slots: Int)
        /// The user ends the pool.
        case end
    }

    package enum Action: Equatable, Sendable {
        case submit(Int, stay: Bool)
        case cancel([String])
        /// Replace the usable nodes, and remove the nodes of tasks with the IDs `gone`.
        case list([FleetNode], gone: [String])
        case tell(String)
        case finish(ExitCode)
    }

    private struct Member: Sendable {
        var stays: Bool
        var state = SlurmTask.queued
        var node: FleetNode?
        /// Whether this process cancelled the task.
        var isCancelled = false
    }

    /// Minimum number of waiting tasks per slot for which another node is worth its start.
    static let tasksPerSlot = 2
    /// Number of consecutive tasks without a joined node after which no more are submitted.
    package static let failureLimit = 3

    private let size: Size
    private var members: [String: Member] = [:]
    private var slots = 1
    private var failures = 0
    private var hasJoined = 0
    private var isSubmitting = false
    private var isEnding = false

    package init(_ size: Size) { self.size = size }

    /// Returns the initial actions.
    package mutating func begin() -> [Action] {
        guard case .fixed(let count) = size else { return [] }
        isSubmitting = true
        return [.submit(count, stay: false)]
    }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .submitted(let ids, let stay):
            isSubmitting = false
            for id in ids { members[id] = Member(stays: stay) }
            return isEnding ? [.cancel(ids)] : []
        case .refused(let reason):
            isSubmitting = false
            return [.tell(reason), .finish(.failure)]
        case .joined(let id, let address, let slots):
            guard members[id] != nil else { return [] }
            let node = FleetNode(host: Self.host(id), address: address, name: Self.name(id))
            members[id]?.node = node
            members[id]?.state = .running
            (self.slots, failures) = (max(1, slots), 0)
            hasJoined += 1
            return [
                .list([node], gone: []),
                .tell("\(node.name) joined at \(address), \(HumanFormat.count(slots, "slot"))"),
            ]
        case .queue(let tasks, let waiting): return update(tasks) + (isEnding ? ended() : next(waiting))
        case .end:
            isEnding = true
            let ids = members.keys.sorted()
            return ids.isEmpty ? ended() : [.cancel(ids)]
        }
    }

    /// Returns the host of a task in ``FleetFile``.
    package static func host(_ id: String) -> String { hostPrefix + id }
    static let hostPrefix = "slurm/"

    /// Returns the name of the node of the task `JOB_INDEX`.
    package static func name(_ id: String) -> String { "slurm-" + id.replacing("_", with: "-") }

    private mutating func update(_ tasks: [String: SlurmTask]) -> [Action] {
        var gone: [String] = []
        var actions: [Action] = []
        for (id, member) in members.sorted(by: { $0.key < $1.key }) {
            if let state = tasks[id] {
                members[id]?.state = state
                continue
            }
            members[id] = nil
            if let node = member.node {
                gone.append(node.host)
                actions.append(.tell("\(node.name) left"))
            } else if !isEnding, !member.isCancelled {
                failures += 1
                actions.append(.tell("\(Self.name(id)) ended before it joined; see its log"))
            }
        }
        return actions + (gone.isEmpty ? [] : [.list([], gone: gone)])
    }

    private mutating func next(_ waiting: Int) -> [Action] {
        if isSubmitting { return [] }
        switch size {
        case .fixed(let count):
            guard members.isEmpty else { return [] }
            return [.finish(hasJoined >= count ? .complete : hasJoined > 0 ? .partialCatalogue : .noUsableNode)]
        case .elastic(let range):
            if failures >= Self.failureLimit {
                let words = "\(failures) nodes in a row ended before they joined: no further one is submitted"
                isEnding = true
                let ids = members.keys.sorted()
                return [.tell(words)] + (ids.isEmpty ? ended() : [.cancel(ids)])
            }
            let needed = (waiting + Self.tasksPerSlot * slots - 1) / (Self.tasksPerSlot * slots)
            let wanted = min(max(needed, range.lowerBound), range.upperBound)
            return adjust(to: wanted, least: range.lowerBound)
        }
    }

    private mutating func adjust(to wanted: Int, least: Int) -> [Action] {
        let live = members.filter { $0.value.state != .ending && !$0.value.isCancelled }
        if live.count < wanted {
            // Nodes that stay are submitted first, the others in the next round.
            let staying = live.filter(\.value.stays).count
            isSubmitting = true
            if staying < least { return [.submit(min(least - staying, wanted - live.count), stay: true)] }
            return [.submit(wanted - live.count, stay: false)]
        }
        let queued = live.filter { $0.value.state == .queued && !$0.value.stays }.keys.sorted()
        let surplus = queued.suffix(live.count - wanted)
        for id in surplus { members[id]?.isCancelled = true }
        return surplus.isEmpty ? [] : [.cancel(Array(surplus))]
    }

    private func ended() -> [Action] {
        guard members.isEmpty, !isSubmitting else { return [] }
        return [.finish(failures >= Self.failureLimit ? .noUsableNode : .complete)]
    }
}

/// State of a task of an array, reduced to the relevant cases.
package enum SlurmTask: Equatable, Sendable {
    /// The task waits for a machine.
    case queued
    case running
    /// The processes of the task are being ended.
    case ending

    /// Converts the name of a state in squeue(1).
    init(_ name: some StringProtocol) {
        switch name {
        case "PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD": self = .queued
        case "RUNNING", "CONFIGURING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT": self = .running
        default: self = .ending
        }
    }

    /// Parses the output of `squeue --array --noheader --format="%i %T"`.
    package static func parse(_ text: String) -> [String: SlurmTask] {
        var tasks: [String: SlurmTask] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count >= 2 { tasks[String(words[0])] = SlurmTask(words[1]) }
        }
        return tasks
    }
}
