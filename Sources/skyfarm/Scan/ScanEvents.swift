import Foundation
import ScanCluster
import ScanNetwork
import SkyScan

/// Turns the events of a scan into progress, and its faults into one line each.
struct ScanEvents: Sendable {
    /// Name of the coordinator's own system.
    static let localName = "local"

    let display: ProgressDisplay
    let recorder: ScanRecorder
    private let systems = SystemNames()

    init(display: ProgressDisplay, recorder: ScanRecorder = ScanRecorder()) {
        self.display = display
        self.recorder = recorder
    }

    /// Takes an event in; from any thread.
    @Sendable func handle(_ event: SkyScanEvent) {
        recorder.handle(event)
        switch event {
        case .began(let step, let tasks, let cost):
            display.handle(.stage(step.rawValue))
            if tasks > 0 { display.handle(.planned(tasks: tasks, work: cost)) }
            show(.debug, "\(step.rawValue): \(HumanFormat.count(tasks, "task"))")
        case .resumed(_, let tasks, let cost): display.handle(.resumed(tasks: tasks, work: cost))
        case .sectors, .found: break
        case .job(_, let event): handle(event)
        }
    }

    private func handle(_ event: TaskEvent) {
        switch event {
        case .systemJoined(let name, let slots):
            // Every step begins with those that are there already.
            if systems.insert(name), name != Self.localName {
                show(.info, "node \(name: name) joined, \(HumanFormat.count(slots, "slot"))")
            }
            display.handle(.joined(system: name, slots: slots))
        case .systemLeft(let name):
            systems.remove(name)
            show(.warning, "node \(name: name) is gone; its tasks go to others")
            display.handle(.left(system: name))
        case .taskStarted(let index, let system, let attempt, _):
            show(.debug, "task \(index) goes to \(name: system), attempt \(attempt)")
        case .taskHedged(let index, let system, _, let slow, let seconds):
            display.handle(.hedged(task: index, slow: slow, system: system))
            warn(
                "task \(index) takes longer than expected on \(name: slow) (\(HumanFormat.duration(seconds: seconds))); \(name: system) tries it as well"
            )
        case .taskFinished(let index, let system, _, let cost, let seconds):
            display.handle(.finished(work: cost, system: system))
            show(
                .debug,
                "task \(index) was done by \(name: system) in \(HumanFormat.duration(seconds: seconds))")
        case .taskRetried(_, let system, let attempt, let reason, let log):
            display.handle(.retried(reason: reason, log: log))
            show(.warning, "attempt \(attempt) on \(name: system) failed: \(reason); trying again")
            show(log)
        case .attemptLost(_, let system, let attempt, let reason, let log):
            show(.warning, "attempt \(attempt) on \(name: system) failed: \(reason); the other attempt goes on")
            show(log)
        case .taskFailed(_, let cost, let failure):
            display.handle(.failed(work: cost, reason: failure.description, log: failure.log))
            show(.warning, "a task was given up: \(failure); the scan goes on without its sector")
            show(failure.log)
        }
    }

    /// Names the nodes that cannot be used.
    func report(_ states: [NodeState]) {
        for state in states {
            if let trouble = state.trouble { warn("node \(name: state.address): \(trouble)") }
        }
    }

    /// Says what became of discovery and of nodes that were found.
    @Sendable func handle(_ news: ClusterMembership.News) {
        switch news {
        case .available: break
        case .unavailable(let error): warn("\(error)")
        case .unused(let name, let reason): warn("node \(name: name) is not used: \(reason)")
        }
    }

    /// Tells a line, and keeps it for the report.
    @Sendable func say(_ line: String) {
        recorder.note(line)
        show(.info, StyledText(line))
    }

    /// Tells of something that is not as it should be, and keeps it for the report.
    private func warn(_ line: StyledText) {
        recorder.note(line.plain)
        show(.warning, line)
    }

    private func show(_ level: Log.Level, _ line: StyledText) { display.message(level, line) }

    /// Shows what a node's log had to say of a failure.
    private func show(_ log: [String]) {
        for line in log { show(.warning, "  \(line)") }
    }
}

/// Names of the systems that are there.
private final class SystemNames: Sendable {
    private let names = Locked<Set<String>>([])

    var count: Int { names.withLock { $0.count } }

    /// False if the name is there already.
    func insert(_ name: String) -> Bool { names.withLock { $0.insert(name).inserted } }

    func remove(_ name: String) { names.withLock { _ = $0.remove(name) } }
}
