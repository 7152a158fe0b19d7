import CommandLineKit
import Console
import Foundation
import ImageJobs
import ScanBasics
import ScanCluster

/// A run of steps: it decides for each whether it runs, and runs it in a process of its own.
struct StepsRun {
    private let steps: [Step]
    private let state: StepsState
    private let program: String
    private let options: StepsCommand.Options
    private(set) var report: StepsReport

    init(_ steps: [Step], _ state: StepsState, program: String, _ options: StepsCommand.Options) {
        (self.steps, self.state, self.program, self.options) = (steps, state, program, options)
        report = StepsReport(steps: steps.map { StepsReport.Row(name: $0.name, command: $0.command) })
    }

    /// Runs the steps that are missing or changed.
    /// - Throws: `CommandError`, if it was stopped or a record cannot be written.
    mutating func run() async throws -> StepsReport {
        let interrupts = Interrupts(beforeExit: {})
        let process = Locked<pid_t>(0)
        let watcher = Task {
            // A terminal has sent SIGINT to the step as well; a second one would have it end at once.
            for await _ in interrupts.signals {
                process.withLock { if $0 > 0 { kill($0, SIGTERM) } }
            }
        }
        defer { watcher.cancel() }
        for index in steps.indices {
            let needed = report.steps.filter { steps[index].after.contains($0.name) }
            if let other = needed.first(where: { [.failed, .notRun].contains($0.state) }) {
                (report.steps[index].state, report.steps[index].reason) = (.notRun, "step \(other.name) is not done")
                continue
            }
            do {
                try await perform(index, after: needed, process, interrupts)
            } catch is CancellationError {
                // The signal is reported below.
            } catch {
                let error = CommandError(error, in: "run")
                (report.steps[index].state, report.steps[index].code) = (.failed, error.code)
                report.steps[index].reason = error.description
                options.log.write(.error, "step \(steps[index].name): \(error.description)")
            }
            if let signal = interrupts.received {
                throw CommandError(signal.exitCode, "run: stopped; the same command goes on")
            }
        }
        return report
    }

    /// Runs the step at `index` if that is necessary.
    /// - Throws: `CommandError` or others, if it cannot be run; `CancellationError` if a signal came before it was begun.
    private mutating func perform(
        _ index: Int, after needed: [StepsReport.Row], _ process: Locked<pid_t>, _ interrupts: Interrupts
    ) async throws {
        let step = steps[index]
        let last = state.record(step.name)
        if options.isDryRun, let other = needed.first(where: { $0.state != .done }) {
            (report.steps[index].state, report.steps[index].reason) = (.maybe, "after step \(other.name)")
            return
        }
        var record = try StepRecord(of: step, after: last, checkCancellation: interrupts.check)
        let reason = last.map { $0.reason(record, current: StepRecord.file) } ?? "it has not run yet"
        guard let reason = reason ?? (options.isFresh ? "--fresh" : nil) else {
            report.steps[index].state = .done
            // Files of which only the time has changed are not read again.
            record.outputs = last?.outputs ?? []
            record.isDone = true
            if record != last { try state.write(record, of: step.name) }
            return
        }
        report.steps[index].reason = reason
        if options.isDryRun {
            report.steps[index].state = .runs
            return
        }
        options.log.write(.info, "step \(step.name): \(reason): \(step.command)")
        let words = try words(of: step, after: last)
        try interrupts.check()
        try state.write(record, of: step.name)
        let start = ContinuousClock.now
        let code = try await execute(words, of: step, process, interrupts)
        report.steps[index].seconds = (ContinuousClock.now - start) / .seconds(1)
        record.outputs = state.outputs(step.name)
        record.isDone = code == .complete
        try state.write(record, of: step.name)
        report.steps[index].code = code
        report.steps[index].outputs = record.outputs.count
        report.steps[index].state = record.isDone ? .ran : .failed
        if !record.isDone {
            report.steps[index].reason = "exit code \(code.rawValue)"
            // A step that was told to stop has not failed.
            if code != .terminated, code != .interrupted {
                options.log.write(.error, "step \(step.name) failed with exit code \(code.rawValue)")
            }
        }
    }

    /// The words with which a step runs again: it replaces the files that it has written and that nobody has changed.
    /// - Throws: `CommandError` if another file has the name of a result.
    private func words(of step: Step, after last: StepRecord?) throws(CommandError) -> [String] {
        if let last, last.command == step.command, !step.words.contains("--overwrite"),
            let path = last.changedOutput(current: StepRecord.file)
        {
            throw CommandError(
                .output,
                "\(path): was changed since the step has written it, and is not replaced; remove or rename it")
        }
        let flags =
            options.isFresh ? step.verb.flagsAnew : state.hasWritten(step.name) ? step.verb.flagsAgain : []
        return [step.verb.rawValue] + flags.filter { !step.words.contains($0) } + step.words
    }

    /// Runs a command of this program, whose standard output is the standard error of this process.
    private func execute(
        _ words: [String], of step: Step, _ process: Locked<pid_t>, _ interrupts: Interrupts
    ) async throws -> ExitCode {
        var environment = options.environment
        environment[OutputRecord.variable] = state.written(step.name)
        var child: pid_t = 0
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // The child must not inherit that Dispatch threads block signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // This process ignores signals that it gets as events; its child would do so until it has events of its own.
        var own = sigset_t()
        sigemptyset(&own)
        for number in [SIGINT, SIGTERM] { sigaddset(&own, number) }
        posix_spawnattr_setsigdefault(&attributes, &own)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let failure = SpawnedProcess.withStrings([program] + words, environment) { arguments, variables in
            posix_spawn(&child, program, &actions, &attributes, &arguments, &variables)
        }
        guard failure == 0 else { throw CommandError(.failure, "\(program): cannot be started", errno: failure) }
        process.withLock { $0 = child }
        // One that came just before had no process to end.
        if interrupts.received != nil { kill(child, SIGTERM) }
        let code = await withCheckedContinuation { continuation in
            let process = child
            Thread.detachNewThread { continuation.resume(returning: SpawnedProcess.wait(for: process)) }
        }
        process.withLock { $0 = 0 }
        return ExitCode.all.first { $0.rawValue == code } ?? ExitCode(code, "ended by a signal")
    }
}
