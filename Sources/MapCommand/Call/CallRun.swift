import CommandLineKit
import Console
import Foundation
import ImageScanning
import ProgramTask
import ScanBasics
import ScanCluster
import ScanFarm
import ScanPage
import TaskJournal

/// A run of a function on values: it reads them ahead of the systems, sends the tasks, and writes the results in order.
final class CallRun: Sendable {
    /// Most values that were read and whose results are not written.
    static let window = (items: 1024, bytes: 1 << 30)

    private struct State {
        var report = CallReport()
        /// The values of tasks that have no result, each with the place of its latest task in the run.
        var values: [Int: (task: PythonTask, value: BulkBytes, place: Int)] = [:]
        /// The items of these tasks, by place.
        private(set) var sent: [Int: Int] = [:]
        private var places = 0
        /// Bytes of each item that is not written: of its value, or of its result.
        private var held: [Int: Int] = [:]
        /// The sum of ``held``, which is asked for each value that is read.
        private var heldBytes = 0
        var read = 0
        var written = 0
        /// The reader, if it waits for room.
        var waiter: CheckedContinuation<Void, Never>?
        var hasEnded = false
        var failedRuns: [Int: Int] = [:]
        var error: (any Error)?

        var isFull: Bool {
            read - written >= CallRun.window.items || (read > written && heldBytes >= CallRun.window.bytes)
        }

        /// Notes that a task is sent next, and that an earlier one of its item has ended.
        mutating func send(_ task: PythonTask, _ value: BulkBytes) {
            forget(task.id)
            values[task.id] = (task, value, places)
            sent[places] = task.id
            places += 1
        }

        /// The item at `index` has its result.
        mutating func forget(_ index: Int) {
            if let place = values.removeValue(forKey: index)?.place { sent[place] = nil }
        }

        /// The item at `index` holds so many bytes from now on; nil once it is written.
        mutating func hold(_ count: Int?, at index: Int) {
            heldBytes += (count ?? 0) - (held[index] ?? 0)
            held[index] = count
        }
    }

    private let options: CallCommand.Options
    private let events: ScanEvents
    private let page: RunPage
    private let state = Locked(State())
    private let input: Locked<CallInput>
    private let output: Locked<CallOutput>
    private let journal: CallJournal?
    private let tasks: AsyncStream<PythonTask>
    private let queue: AsyncStream<PythonTask>.Continuation
    /// Read values, and write results and the journal, so that neither the event loop nor the runtime waits.
    private let reader = BlockingExecutor(label: "skyfarm.call.reader")
    private let writer = BlockingExecutor(label: "skyfarm.call.writer")
    private let disk = BlockingExecutor(label: "skyfarm.call.journal")
    private let start = ContinuousClock.now

    var report: CallReport { state.withLock { $0.report } }

    init(_ options: CallCommand.Options, _ events: ScanEvents, _ page: RunPage) async throws {
        (self.options, self.events, self.page) = (options, events, page)
        input = Locked(try CallInput(options.file, usesFrames: options.usesFrames))
        output = Locked(CallOutput(usesFrames: options.usesFrames))
        let executor = disk
        if let path = options.journal {
            journal = try await executor.run { try CallJournal(path: path, on: executor) }
        } else {
            journal = nil
        }
        (tasks, queue) = AsyncStream.makeStream()
    }

    /// Calls the function for all values on the systems of `coordinator`.
    /// - Throws: `ScanError`, `CommandError` or `JournalError` if the run cannot go on; `CancellationError`.
    func run(on coordinator: ScanCoordinator) async throws {
        defer { state.withLock { $0.report.seconds = (ContinuousClock.now - start) / .seconds(1) } }
        let reading = Task { await read() }
        defer { reading.cancel() }
        let observer = page.observer(
            MapEvents(events),
            of: PageItems(slots: options.cpus) { [state] place in
                let index = state.withLock { $0.sent[place] }
                return .init(index.map { [Self.name($0)] } ?? [])
            })
        let responses = coordinator.responses(to: tasks, observer: observer) { [state] task in
            state.withLock { $0.values[task.id] }.map { _, value, _ in BulkSource(byteCount: value.count) { value } }
        }
        for try await response in responses { try await take(response) }
        if let error = state.withLock({ $0.error }) { throw error }
        try Task.checkCancellation()
        try await journal?.flush()
        if let warning = report.warning(journal: options.journal) { events.display.message(.warning, "\(warning)") }
    }

    // MARK: Values

    private func read() async {
        do {
            while !Task.isCancelled {
                await room()
                let bytes = try await reader.run { [input] in try input.withLock { try $0.next() } }
                guard let bytes else { break }
                try await accept(bytes)
            }
        } catch {
            state.withLock { $0.error = error }
        }
        state.withLock { $0.hasEnded = true }
        finishIfDone()
    }

    /// Makes a task of a value, or takes its result from the journal.
    private func accept(_ bytes: [UInt8]) async throws {
        let index = state.withLock { state in
            defer { state.read += 1 }
            return state.read
        }
        let value = BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        var task = PythonTask(
            id: index, function: options.function, size: bytes.count,
            checksum: value.withUnsafeBytes(PythonOutput.checksum))
        (task.cpus, task.memory) = (options.cpus, options.memory ?? 0)
        task.seconds = options.timeout.map { $0 / .seconds(1) }
        events.display.handle(.planned(tasks: 1, work: 1))
        page.plan(1)
        if let journal {
            let sent = task
            if let recorded = try await disk.run({ try journal.output(of: sent) }) {
                events.display.handle(.resumed(tasks: 1, work: 1))
                return try await write(checked(CallResult(output: recorded, isRecorded: true)), of: index)
            }
        }
        state.withLock { $0.hold(bytes.count, at: index) }
        send(task, value)
    }

    /// Sends a task, in the order of the places that the state has.
    private func send(_ task: PythonTask, _ value: BulkBytes) {
        state.withLock { state in
            state.send(task, value)
            queue.yield(task)
        }
    }

    private static func name(_ index: Int) -> String { "item \(index + 1)" }

    /// Waits until a further value may be read.
    private func room() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if !state.isFull { return true }
                state.waiter = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Ends the run once the last value has been read and no task is left.
    private func finishIfDone() {
        if state.withLock({ $0.hasEnded && $0.values.isEmpty }) { queue.finish() }
    }

    // MARK: Results

    private func take(_ response: TaskResponse<PythonTask>) async throws {
        let index = response.id
        guard let (task, value, _) = state.withLock({ $0.values[index] }) else { return }
        var result = CallResult(output: PythonOutput(), system: response.system)
        switch response.result {
        case .success(let output): result.output = output
        case .failure(let failure):
            (result.output.failure, result.output.log) = (failure.message, failure.log)
            result.system = failure.system.isEmpty ? nil : failure.system
        }
        result = checked(result)
        if let reason = result.output.failure, isRepeated(index, response) {
            events.display.handle(.retried(reason: reason))
            page.note(Self.name(index), on: result.system, .triedAgain(reason, lines: result.output.lines))
            send(task, value)
            return
        }
        if result.output.failure == nil { try await journal?.add(result.output, of: task) }
        if !result.output.log.isEmpty {
            events.display.message(
                .debug, "item \(index + 1) on \(name: result.system ?? "-"):", details: result.output.log)
        }
        state.withLock { state in
            state.forget(index)
            state.hold(result.output.value.count, at: index)
        }
        try await write(result, of: index)
        finishIfDone()
    }

    /// A result that cannot be a line of the output has failed. Frames are read by the Python package, which checks them.
    private func checked(_ result: CallResult) -> CallResult {
        guard !options.usesFrames, result.output.failure == nil,
            let problem = PythonValue.problem(of: result.output.value)
        else { return result }
        var failed = result
        (failed.output.failure, failed.output.value) = (problem, [])
        return failed
    }

    /// Whether an item that has failed is tried again. One that no system could run was tried often enough.
    private func isRepeated(_ index: Int, _ response: TaskResponse<PythonTask>) -> Bool {
        guard case .success = response.result else { return false }
        return state.withLock { state in
            state.failedRuns[index, default: 0] += 1
            return state.failedRuns[index, default: 0] <= options.retries
        }
    }

    private func write(_ result: CallResult, of index: Int) async throws {
        let name = Self.name(index)
        if let reason = result.output.failure {
            events.display.handle(.failed(work: 1, reason: reason))
            events.display.handle(.fileEnded(file: name, outputs: [], errors: [reason]))
            page.note(name, on: result.system, .failed(reason, lines: result.output.lines))
        } else {
            page.note(name, on: result.system, result.isRecorded ? .recorded : .done(seconds: result.output.seconds))
            if let system = result.system { events.display.handle(.finished(work: 1, system: system)) }
            events.display.handle(.fileEnded(file: name, outputs: []))
        }
        let count = try await writer.run { [output] in try output.withLock { try $0.add(result, at: index) } }
        let waiter = state.withLock { state in
            state.report.add(result, name: name)
            for written in state.written..<state.written + count { state.hold(nil, at: written) }
            state.written += count
            if state.isFull { return nil as CheckedContinuation<Void, Never>? }
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

extension PythonOutput {
    /// The lines that say most about a failure.
    fileprivate var lines: [String] { trace.isEmpty ? log : trace }
}

/// Counts of the items of a run, and its first failures.
struct CallReport: Sendable {
    private(set) var done = 0
    private(set) var recorded = 0
    private(set) var failed = 0
    var seconds = 0.0
    /// A line for each of the first failed items, followed by the last lines of its traceback.
    private(set) var failures: [(line: String, details: [String])] = []
    /// Versions of the module's source, each with a place that has it: a system, or nil for the journal.
    private var versions: [String: String?] = [:]

    mutating func add(_ result: CallResult, name: String) {
        let output = result.output
        if !output.version.isEmpty, versions[output.version] == nil {
            versions[output.version] = .some(result.isRecorded ? nil : result.system)
        }
        guard let reason = output.failure else {
            done += 1
            if result.isRecorded { recorded += 1 }
            return
        }
        failed += 1
        if failures.count >= 20 { return }
        let place = result.system.map { " (on \($0))" } ?? ""
        failures.append(("\(name) failed: \(reason)\(place)", output.lines))
    }

    /// A warning if results come from different sources of the module; nil if they do not.
    func warning(journal: String?) -> String? {
        if versions.count < 2 { return nil }
        let places = versions.sorted { $0.key < $1.key }.map { version, system in
            "\(version) \(system.map { "on \($0)" } ?? "in \(journal ?? "the journal")")"
        }
        return "results are those of different versions of the module: \(places.joined(separator: ", "))"
    }

    /// The totals in one line.
    var conclusion: String {
        var facts = ["\(done) of \(HumanFormat.count(done + failed, "item")) done"]
        if recorded > 0 { facts.append("\(recorded) of them before") }
        if failed > 0 { facts.append("\(failed) failed") }
        return facts.joined(separator: ", ") + " in \(HumanFormat.duration(seconds: seconds))"
    }
}
