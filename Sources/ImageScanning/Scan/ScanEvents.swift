package import Console
import Foundation
import ScanCluster
package import ScanFarm
package import ScanNetwork
package import SkyScan

/// Passes the events of a scan to display and recorder; a fault is shown as one line.
package struct ScanEvents: Sendable {
    /// Name of the coordinator's own system.
    package static let localName = "local"

    package let display: ProgressDisplay
    package let recorder: ScanRecorder
    /// The nodes that the options name, if that is ambiguous.
    package let choice = AmbiguousChoice()
    private let systems = SystemNames()
    private let tasks = JobTaskNames()

    package init(display: ProgressDisplay, recorder: ScanRecorder = ScanRecorder()) {
        self.display = display
        self.recorder = recorder
    }

    /// May be called from any thread.
    @Sendable package func handle(_ event: SkyScanEvent) {
        recorder.handle(event)
        switch event {
        case .began(let step, let tasks, let cost):
            display.handle(.stage(step.rawValue))
            if tasks > 0 { display.handle(.planned(tasks: tasks, work: cost)) }
            show(.debug, "\(step.rawValue): \(HumanFormat.count(tasks, "task"))")
        case .resumed(_, let tasks, let cost): display.handle(.resumed(tasks: tasks, work: cost))
        case .sectors(let step, let waiting, let resumed):
            self.tasks.begin(step, waiting: waiting, resumed: resumed, of: "")
        case .found: break
        case .job(_, let event): handle(event, of: "")
        }
    }

    /// An event of one image of a job of many: no stage is shown, and nothing is recorded for a report.
    @Sendable package func handle(_ event: SkyScanEvent, of image: String) {
        switch event {
        case .began(let step, let tasks, let cost):
            if tasks > 0 { display.handle(.planned(tasks: tasks, work: cost)) }
            show(.debug, "\(name: image): \(step.rawValue): \(HumanFormat.count(tasks, "task"))")
        case .resumed(_, let tasks, let cost): display.handle(.resumed(tasks: tasks, work: cost))
        case .found: break
        case .sectors(let step, let waiting, let resumed):
            self.tasks.begin(step, waiting: waiting, resumed: resumed, of: image)
        case .job(_, let event): handle(event, of: image)
        }
    }

    /// The scan of an image of a job of many has ended.
    package func ended(image: String) { tasks.remove(image) }

    private func handle(_ event: TaskEvent, of image: String) {
        func task(_ index: Int) -> StyledText { tasks.name(of: index, of: image) }
        switch event {
        case .systemJoined(let name, let slots):
            // Every step begins with an event for each system already connected.
            if systems.insert(name), name != Self.localName {
                display.nodeJoined(name, slots: slots)
            }
            display.handle(.joined(system: name, slots: slots))
        case .systemLeft(let name):
            systems.remove(name)
            show(.warning, "node \(name: name) left; its tasks are reassigned")
            display.handle(.left(system: name))
        case .taskStarted(let index, let system, let attempt, _):
            show(.debug, "\(task(index)) assigned to \(name: system), attempt \(attempt)")
        case .taskHedged(let index, let system, _, let slow, let seconds):
            display.handle(.hedged(task: index, slow: slow, system: system))
            note(
                """
                \(task(index)) is slow on \(name: slow) (\(HumanFormat.duration(seconds: seconds))); also started on \
                \(name: system)
                """
            )
        case .taskRecalled(let index, let system, _, let slow):
            show(
                .debug,
                "\(task(index)) is taken back from \(name: slow), whose pixels would arrive too late, for \(name: system)"
            )
        case .taskFinished(let index, let system, _, let cost, let seconds):
            display.handle(.finished(work: cost, system: system))
            show(
                .debug,
                "\(task(index)) done by \(name: system) in \(HumanFormat.duration(seconds: seconds))")
        case .taskRetried(let index, let system, let attempt, let reason, let log):
            display.handle(.retried(reason: reason, log: log))
            display.message(
                .warning, "\(task(index)): attempt \(attempt) on \(name: system) failed: \(reason); retrying",
                details: log, cause: "attempts on \(name: system) failed: \(reason)")
        case .attemptLost(let index, let system, let attempt, let reason, let log):
            display.message(
                .warning,
                """
                \(task(index)): attempt \(attempt) on \(name: system) failed: \(reason); the other attempt continues
                """,
                details: log, cause: "attempts on \(name: system) failed: \(reason)")
        case .taskProgressed(let index, let system, _, let fraction, let message):
            show(
                .debug,
                "\(task(index)) on \(name: system): \(Int(fraction * 100)) %\(message.isEmpty ? "" : ", \(message)")")
        case .taskLogged(let index, let system, _, let line): show(.debug, "\(task(index)) on \(name: system): \(line)")
        case .taskFailed(let index, let cost, let failure):
            display.handle(.failed(work: cost, reason: failure.description, log: failure.log))
            display.message(
                .warning, "\(task(index)) failed: \(failure); the scan continues without its sector",
                details: failure.log, cause: "tasks failed: \(failure)")
        }
    }

    /// Warns about nodes that cannot be used.
    package func report(_ states: [NodeState]) {
        choice.report(states)
        var reported: Set<String> = []
        for state in states {
            // A node may be given by several addresses: its trouble is reported once.
            if let node = state.node, let trouble = state.trouble,
                !reported.insert("\(node.identity) \(trouble)").inserted
            {
                continue
            }
            switch state.status {
            // A node that was given by two addresses is used once.
            case .duplicate(let other): note("node \(name: state.label): the same node as \(other)")
            case .failed(let error) where error.code == .ambiguous: break
            case .joined, .connecting, .failed, .closed:
                if let trouble = state.trouble { warn("node \(name: state.label): \(trouble)") }
            }
        }
    }

    /// Warns about nodes that computed differently and were used all the same.
    package func report(differentNodes names: [String]) {
        for name in names {
            warn(
                """
                node \(name: name) computes differently and was used (--allow-different-nodes); the catalogue's header \
                says ARITHEQ = F
                """)
        }
    }

    /// Warns about failures of discovery and about discovered nodes that are not used.
    @Sendable package func handle(_ change: ClusterMembership.Change) {
        switch change {
        case .available, .discovered, .departed: break
        case .unavailable(let error): warn("\(error)")
        case .unused(let name, let reason): warn("node \(name: name) is not used: \(reason)")
        case .ownMachine(let name, let reason): note("node \(name: name) is not used: \(reason)")
        case .ambiguous(let words): choice.report(words)
        }
    }

    /// Shows a line and records it for the report.
    @Sendable package func say(_ line: String) {
        recorder.note(line)
        show(.info, StyledText(line))
    }

    /// Shows a warning and records it for the report.
    package func warn(_ line: StyledText) {
        recorder.note(line.plain)
        show(.warning, line)
    }

    /// Records a line for the report, and shows it with --verbose.
    private func note(_ line: StyledText) {
        recorder.note(line.plain)
        show(.debug, line)
    }

    /// Shows an error that does not end the scan, and records it for the report.
    package func fail(_ line: StyledText) {
        recorder.note(line.plain)
        show(.error, line)
    }

    private func show(_ level: Log.Level, _ line: StyledText) { display.message(level, line) }
}

/// Names of the connected systems.
private final class SystemNames: Sendable {
    private let names = Locked<Set<String>>([])

    /// False if the name is already present.
    func insert(_ name: String) -> Bool { names.withLock { $0.insert(name).inserted } }

    func remove(_ name: String) { names.withLock { _ = $0.remove(name) } }
}
