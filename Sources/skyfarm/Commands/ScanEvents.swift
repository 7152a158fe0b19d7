import Foundation
import ScanCluster
import ScanNetwork
import SkyScan

/// Turns the events of a scan into progress, and its faults into one line each.
struct ScanEvents: Sendable {
    /// Name of the coordinator's own system.
    static let localName = "local"

    let display: ProgressDisplay
    let isQuiet: Bool
    let isVerbose: Bool
    let recorder: ScanRecorder
    private let systems = SystemNames()

    init(
        display: ProgressDisplay, isQuiet: Bool, isVerbose: Bool = false, recorder: ScanRecorder = ScanRecorder()
    ) {
        self.display = display
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        self.recorder = recorder
    }

    /// Takes an event in; from any thread.
    @Sendable func handle(_ event: SkyScanEvent) {
        recorder.handle(event)
        switch event {
        case .began(let step, let tasks, let cost):
            display.handle(.stage(step.rawValue))
            if tasks > 0 { display.handle(.planned(tasks: tasks, pixels: Int(cost))) }
            detail("\(step.rawValue): \(HumanFormat.count(tasks, "task"))")
        case .resumed(_, let tasks, let cost): display.handle(.resumed(tasks: tasks, pixels: Int(cost)))
        case .sectors, .found: break
        case .job(_, let event): handle(event)
        }
    }

    private func handle(_ event: JobEvent) {
        switch event {
        case .systemJoined(let name, let slots):
            // Every step begins with those that are there already.
            if systems.insert(name), name != Self.localName {
                show("node \(name) joined, \(HumanFormat.count(slots, "slot"))")
            }
            display.handle(.nodes(systems.count))
        case .systemLeft(let name):
            systems.remove(name)
            show("node \(name) is gone; its tasks go to others")
            display.handle(.nodes(systems.count))
        case .taskStarted(let index, let system, let attempt, _):
            detail("task \(index) goes to \(system), attempt \(attempt)")
        case .taskHedged(let index, let system, _, let slow, let seconds):
            display.handle(.hedged(task: index, slow: slow, system: system))
            say(
                "task \(index) takes longer than expected on \(slow) (\(HumanFormat.duration(seconds: seconds))); "
                    + "\(system) tries it as well")
        case .taskFinished(let index, let system, _, let cost, let seconds):
            display.handle(.finished(pixels: Int(cost)))
            detail("task \(index) was done by \(system) in \(HumanFormat.duration(seconds: seconds))")
        case .taskRetried(_, let system, let attempt, let reason, let log):
            display.handle(.retried(reason: reason, log: log))
            show("attempt \(attempt) on \(system) failed: \(reason); trying again")
            for line in log { show("  \(line)") }
        case .taskFailed(_, let cost, let failure):
            display.handle(.failed(pixels: Int(cost), reason: failure.description, log: failure.log))
            show("a task was given up: \(failure)")
            for line in failure.log { show("  \(line)") }
        }
    }

    /// Names the nodes that cannot be used.
    func report(_ states: [NodeState]) {
        for state in states {
            if let trouble = state.trouble { say("node \(state.address): \(trouble)") }
        }
    }

    /// Says what became of discovery and of nodes that were found.
    @Sendable func handle(_ news: ClusterMembership.News) {
        switch news {
        case .available: break
        case .unavailable(let error): say("\(error)")
        case .unused(let name, let reason): say("node \(name) is not used: \(reason)")
        }
    }

    /// Shows a line, unless all but data and errors is unwanted.
    @Sendable func say(_ line: String) {
        recorder.note(line)
        show(line)
    }

    /// Shows what only those want to know who asked for more.
    private func detail(_ line: String) {
        if isVerbose { show(line) }
    }

    private func show(_ line: String) {
        if !isQuiet { display.message("skyfarm: \(line)") }
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
