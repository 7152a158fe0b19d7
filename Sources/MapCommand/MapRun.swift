import CommandLineKit
import Console
import Foundation
import ImageScanning
import ProgramTask
import ScanBasics
import ScanCluster
import ScanFarm
import ScanPage
import SkyScan
import TaskJournal

/// A run of a program on items: it sends the tasks, stores the results, and tries failed items again in further rounds.
struct MapRun {
    private let plan: MapPlan
    private let items: [PreparedItem]
    private let tasks: MapTasks
    private let events: ScanEvents
    private let page: RunPage
    private let journal: MapJournal?
    private let jobLog: JobLog?
    private var ordered = OrderedOutput()
    private(set) var report: MapReport
    /// Files are written here, not on the threads of the runtime.
    private let disk = BlockingExecutor(label: "skyfarm.map")
    private let start = ContinuousClock.now

    init(_ plan: MapPlan, _ items: [PreparedItem], _ events: ScanEvents, _ page: RunPage) throws {
        (self.plan, self.items, self.events, self.page) = (plan, items, events, page)
        tasks = MapTasks(items, shared: plan.shared)
        let options = plan.options
        switch options.output {
        case .standardOutput: journal = nil
        case .folder(let folder): journal = try MapJournal(options, place: folder)
        case .file(let template): journal = try MapJournal(options, place: template.text)
        }
        jobLog = try options.jobLog.map { try JobLog($0, resumes: options.resumes) }
        report = MapReport(
            program: options.program, items: items.map { MapReport.Row(item: $0.item.name) })
    }

    /// Runs the items that are not done on the systems of `coordinator`.
    /// - Throws: `ScanError`, `OutputError` or `CommandError` if the run cannot go on; `CancellationError`.
    mutating func run(on coordinator: ScanCoordinator) async throws {
        defer { report.seconds = (ContinuousClock.now - start) / .seconds(1) }
        var pending = items.indices.filter { journal?.isDone(items[$0]) != true }
        events.display.handle(.planned(tasks: items.count, work: Double(items.count)))
        page.plan(items.count)
        for index in Set(items.indices).subtracting(pending).sorted() {
            report.items[index].state = .resumed
            report.items[index].outputs = journal?.outputs(of: items[index]) ?? []
            ended(index, .recorded)
        }
        let resumed = items.count - pending.count
        if resumed > 0 { events.display.handle(.resumed(tasks: resumed, work: Double(resumed))) }
        for round in 0...plan.options.retries where !pending.isEmpty && !isStopped {
            pending = try await runRound(pending, on: coordinator, isLast: round == plan.options.retries)
        }
        // Of a run that has stopped, items before these have no output.
        try ordered.finish()
    }

    /// Whether so many items have failed that no further one is run.
    private var isStopped: Bool { plan.options.mostFailures.map { report.count(.failed) >= $0 } ?? false }

    /// Runs the items at these places.
    /// - Returns: those that are to be tried again.
    private mutating func runRound(
        _ indices: [Int], on coordinator: ScanCoordinator, isLast: Bool
    ) async throws -> [Int] {
        var again: [Int] = []
        tasks.forgetProblems(of: indices)
        let observer = page.observer(
            MapEvents(events), of: PageItems(slots: plan.options.cpus) { [tasks] in .init(tasks.names(at: $0)) })
        var (waiting, singly) = (indices, false)
        repeat {
            var left: [Int] = []
            let responses = coordinator.responses(
                to: tasks.sequence(waiting, singly: singly), bulk: { [tasks] in tasks.bulk(of: $0) },
                observer: observer)
            for try await response in responses {
                left += try await take(response, isLast: isLast, &again)
                if isStopped { break }
            }
            // A series that failed, or ended early, says nothing about the items that it did not run.
            (waiting, singly) = (left.sorted(), true)
            tasks.forgetProblems(of: left)
        } while !waiting.isEmpty && !isStopped
        // Their files could not be read, so that they had no task.
        let repeated = Set(again)
        for index in indices where report.items[index].state == .notRun && !repeated.contains(index) {
            guard let problem = tasks.problem(at: index) else { continue }
            if isLast || plan.options.retryCodes != nil {
                try fail(index, problem)
            } else {
                again.append(index)
            }
        }
        return again.sorted()
    }

    /// Stores the results of a series, or notes its failure, and adds items that are to be tried again to `again`.
    /// - Returns: items that were not run.
    private mutating func take(
        _ response: TaskResponse<ProgramSeries>, isLast: Bool, _ again: inout [Int]
    ) async throws -> [Int] {
        let indices = tasks.items(of: response.id)
        switch response.result {
        case .failure(let failure):
            if indices.count > 1 { return indices }
            if try !takeFailure(failure, of: indices[0], isLast: isLast) { again.append(indices[0]) }
            return []
        case .success(let outputs):
            // The last one has just ended.
            var later = outputs.reduce(0) { $0 + $1.seconds }
            for (index, output) in zip(indices, outputs) {
                later -= output.seconds
                try jobLog?.note(items[index], on: response.system, output, now: .now - later)
                tasks.note(output)
                let isTaken = try await take(output, of: index, on: response.system, isLast: isLast)
                if !isTaken { again.append(index) }
            }
            return Array(indices.dropFirst(outputs.count))
        }
    }

    /// Notes that an item could not be run.
    /// - Returns: false if it is to be tried again.
    private mutating func takeFailure(_ failure: TaskFailure, of index: Int, isLast: Bool) throws -> Bool {
        report.items[index].system = failure.system.isEmpty ? nil : failure.system
        report.items[index].lastLines = failure.log
        let reason = tasks.problem(at: index) ?? failure.message
        // It has no exit code.
        if !isLast, plan.options.retryCodes == nil { return again(index, reason) }
        try fail(index, reason)
        return true
    }

    /// Stores the result of an item, or notes its failure.
    /// - Returns: false if it is to be tried again.
    private mutating func take(
        _ output: ProgramOutput, of index: Int, on system: String, isLast: Bool
    ) async throws -> Bool {
        report.items[index].system = system
        report.items[index].runs += 1
        report.items[index].seconds = output.seconds
        report.items[index].exitCode = if case .exited(let code) = output.end { code } else { nil }
        guard let reason = output.failure(okCodes: plan.options.okCodes) else {
            if let problem = try await store(output, of: index) {
                try fail(index, problem)
            } else {
                report.items[index].state = .done
                events.display.handle(.finished(work: 1, system: system))
                ended(index, .done(seconds: output.seconds))
            }
            return true
        }
        report.items[index].lastLines = output.lastErrors.isEmpty ? output.lastOutput : output.lastErrors
        if !isLast, isRetried(output) { return again(index, reason) }
        try fail(index, reason)
        return true
    }

    /// Notes that an item is tried again in the next round.
    private mutating func again(_ index: Int, _ reason: String) -> Bool {
        let row = report.items[index]
        report.items[index].reason = reason
        events.display.handle(.retried(reason: reason))
        page.note(row.item, on: row.system, .triedAgain(reason, lines: row.lastLines))
        return false
    }

    /// Whether an item is tried again after this failure.
    private func isRetried(_ output: ProgramOutput) -> Bool {
        guard let codes = plan.options.retryCodes else { return true }
        return if case .exited(let code) = output.end { codes.contains(code) } else { false }
    }

    private mutating func fail(_ index: Int, _ reason: String) throws {
        (report.items[index].state, report.items[index].reason) = (.failed, reason)
        events.display.handle(.failed(work: 1, reason: reason))
        ended(index, .failed(reason, lines: report.items[index].lastLines))
        if plan.options.output == .standardOutput { try ordered.add([], at: index) }
    }

    /// Shows that an item is done, or why it failed.
    private func ended(_ index: Int, _ end: PageItems.End) {
        let row = report.items[index]
        let errors = if case .failed(let reason, _) = end { [reason] } else { [String]() }
        events.display.handle(
            .fileEnded(file: row.item, outputs: errors.isEmpty ? row.outputs : [], errors: errors))
        page.note(row.item, on: row.system, end)
    }

    /// Writes the results of an item, each of which appears under its name when it is complete.
    /// - Returns: why the results of this item cannot be written; nil if they are.
    /// - Throws: an error that all further items would have as well, as on a full disk.
    private mutating func store(_ output: ProgramOutput, of index: Int) async throws -> String? {
        let item = items[index]
        if plan.options.output == .standardOutput {
            try ordered.add(Array(output.content(at: 0)), at: index)
            return nil
        }
        let declared = Dictionary(zip(item.task.outputs, item.places), uniquingKeysWith: { $1 })
        let places =
            plan.returnsOutput
            ? item.places
            : output.files.map { declared[$0.path] ?? plan.place(ofCollected: $0.path, item.item) }
        let overwrites = plan.options.replaces
        let problem = try await disk.run { () -> String? in
            do {
                for (number, place) in places.enumerated() {
                    try AtomicFile.makeFolder(of: place)
                    let file = try AtomicFile(path: place, overwrite: overwrites)
                    try file.write(output.content(at: number))
                    try file.commit(syncsFolder: false)
                }
                return nil
            } catch let error as OutputError where [.exists, .unwritable].contains(error.code) {
                return error.message
            }
        }
        if let problem { return problem }
        try journal?.note(item, outputs: places)
        report.items[index].outputs = places
        return nil
    }
}

/// Shows the events of a run's tasks.
struct MapEvents: Sendable {
    private let events: ScanEvents
    private let joined = Locked<Set<String>>([])

    init(_ events: ScanEvents) { self.events = events }

    func handle(_ event: TaskEvent) {
        let display = events.display
        switch event {
        case .systemJoined(let name, let slots):
            let isNew = joined.withLock { $0.insert(name).inserted }
            if isNew, name != ScanEvents.localName { display.nodeJoined(name, slots: slots) }
            display.handle(.joined(system: name, slots: slots))
        case .systemLeft(let name):
            joined.withLock { _ = $0.remove(name) }
            display.message(.warning, "node \(name: name) left; its items are run elsewhere")
            display.handle(.left(system: name))
        case .taskHedged(let index, let system, _, let slow, _):
            display.handle(.hedged(task: index, slow: slow, system: system))
        case .taskRetried(_, let system, _, let reason, let log), .attemptLost(_, let system, _, let reason, let log):
            display.handle(.retried(reason: reason))
            display.message(
                .warning, "an attempt on \(name: system) failed: \(reason)", details: log,
                cause: "attempts on \(name: system) failed: \(reason)")
        case .taskStarted, .taskRecalled, .taskFinished, .taskFailed, .taskProgressed, .taskLogged: break
        }
    }
}
