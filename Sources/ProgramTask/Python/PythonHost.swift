import CProgramBox
import Dispatch
import Foundation
package import ScanBasics
package import ScanCluster

/// The Python modules that the owner of a system gives away, and the workers that call their functions.
///
/// A worker is a process of one module in a ``ProgramPlace`` of its own, bounded and ended as a program is. It stays for
/// further calls until it has been idle for ``Options/idleSeconds``, exceeds a limit or ends; there are at most as many as
/// slots. ``run(_:_:)`` blocks, and is called on scan threads.
package final class PythonHost: Sendable {
    /// Modules and limits, as the owner has set them.
    package struct Options: Equatable, Sendable {
        package var modules: [PythonModule]
        package var limits = ProgramLimits()
        /// Folder for the workers' folders; nil for the system's folder for temporary files.
        package var scratch: String?
        /// Number of calls that run at a time.
        package var slots = 1
        /// Seconds after which a worker without a call is ended.
        package var idleSeconds = 60.0
        /// Command of the supervisor's process.
        package var supervisor = ProgramHost.supervisor

        package init(modules: [PythonModule]) { self.modules = modules }
    }

    /// The host of this process; nil if it gives no module away.
    package static let current = Locked<PythonHost?>(nil)

    private struct State {
        /// The workers without a call, the one that was used last at the end, each with the number of its use.
        var idle: [(use: Int, worker: PythonWorker)] = []
        var uses = 0
        var isClosed = false
    }

    package let options: Options
    /// The command of a worker by module.
    private let commands: [String: [String]]
    private let variables: [String]
    private let scratch: ScratchFolder
    private let state = Locked(State())

    /// Makes the folder of all workers.
    /// - Throws: ``ProgramRefusal`` if a module, an interpreter or the folder cannot be used.
    package init(_ options: Options, environment: [String: String]) throws(ProgramRefusal) {
        guard skyfarm_program_box_works() != 0 else { throw ProgramRefusal("workers run on Linux only") }
        var commands: [String: [String]] = [:]
        let source = String(cString: skyfarm_worker_text())
        for module in options.modules {
            let interpreter = try module.interpreter(path: environment["PATH"])
            commands[module.name] = [interpreter, "-c", source, try module.folder(), module.name]
        }
        (self.options, self.commands) = (options, commands)
        scratch = try ScratchFolder(in: options.scratch ?? FileManager.default.temporaryDirectory.path)
        variables =
            ProgramHost.inherited.compactMap { name in environment[name].map { "\(name)=\($0)" } }
            + ["PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8:backslashreplace"]
    }

    /// Tags of a system with this host.
    package var tags: Set<String> { Set(options.modules.map { PythonTask.tag(of: $0.name) }) }

    /// Calls a function.
    /// - Throws: ``ProgramRefusal`` if the task is not acceptable or cannot be run here; `CancellationError`.
    package func run(_ task: PythonTask, _ context: ScanContext) throws -> PythonOutput {
        let start = ContinuousClock.now
        let bulk = context.takeBulk()
        if let problem = task.problem(slots: options.slots, bulk: bulk?.count ?? 0) {
            throw ProgramRefusal("refused: \(problem)")
        }
        guard let module = PythonName.module(of: task.function), let command = commands[module], let bulk else {
            throw ProgramRefusal("refused: this node gives no such Python module away")
        }
        guard bulk.withUnsafeBytes(ProgramOutput.checksum) == task.checksum else {
            throw ProgramRefusal("refused: the checksum of the value is wrong")
        }
        let seconds = min(options.limits.seconds, task.seconds ?? .infinity)
        let deadline = PythonWorker.Deadline(after: seconds, from: start)
        var output = PythonOutput()
        do {
            output = try called(task, module, command, bulk, until: deadline, context)
        } catch let failure as PythonWorker.ImportFailure {
            (output.failure, output.trace, output.log) = (failure.reason, failure.trace, failure.log)
        }
        output.seconds = (ContinuousClock.now - start) / .seconds(1)
        return output
    }

    private func called(
        _ task: PythonTask, _ module: String, _ command: [String], _ bulk: BulkBytes,
        until deadline: PythonWorker.Deadline, _ context: ScanContext
    ) throws -> PythonOutput {
        var output = PythonOutput()
        // Each import after the first one is that of a source which has changed since the import before.
        var imports = 0
        var end: String?
        while imports < Self.mostImports {
            try context.checkCancellation()
            let environment = variables + ["SKYFARM_CPUS=\(task.cpus)", "OMP_NUM_THREADS=\(task.cpus)"]
            let kind = PythonWorker.Kind(module: module, cpus: task.cpus)
            let idle = take(kind)
            if idle == nil { imports += 1 }
            let worker =
                try idle
                ?? PythonWorker(
                    .init(kind: kind, words: command, variables: environment, limits: options.limits),
                    in: try ProgramPlace(in: scratch, ProgramSupervisor(options.supervisor), options.limits),
                    until: deadline, context)
            let reply = try bulk.withUnsafeBytes { try worker.call(task.function, $0, until: deadline, context) }
            output.version = worker.version
            switch reply {
            case .stale(let reason):
                end = reason
                continue
            case .ended(let reason): (output.failure, output.log) = (reason, worker.takeLines())
            case .failure(let reason, let trace):
                (output.failure, output.trace, output.log) = (reason, trace, worker.takeLines())
                giveBack(worker)
            case .value(let value):
                (output.value, output.log) = (value, worker.takeLines())
                output.checksum = value.withUnsafeBytes(ProgramOutput.checksum)
                giveBack(worker)
            }
            return output
        }
        output.failure =
            "the worker of \(module) ends, or its source changes, each time that it is imported"
            + (end.map { ": \($0)" } ?? "")
        return output
    }

    /// How often a module is imported for one call.
    private static let mostImports = 8

    /// Takes the worker of this kind that was used last. If there is none, and all others are idle, one of them goes.
    private func take(_ kind: PythonWorker.Kind) -> PythonWorker? {
        let (found, ended) = state.withLock { state -> (PythonWorker?, PythonWorker?) in
            if let index = state.idle.lastIndex(where: { $0.worker.kind == kind }) {
                return (state.idle.remove(at: index).worker, nil)
            }
            return (nil, state.idle.count < options.slots ? nil : state.idle.removeFirst().worker)
        }
        // The worker ends here, without the lock.
        withExtendedLifetime(ended) {}
        return found
    }

    /// Keeps a worker for the next call, and ends it when there has been none for a while.
    private func giveBack(_ worker: PythonWorker) {
        guard worker.isCleared() else { return }
        let use = state.withLock { state -> Int? in
            if state.isClosed { return nil }
            state.uses += 1
            state.idle.append((state.uses, worker))
            return state.uses
        }
        guard let use else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + options.idleSeconds) { [weak self] in
            let ended = self?.state.withLock { state in
                state.idle.firstIndex { $0.use == use }.map { state.idle.remove(at: $0).worker }
            }
            withExtendedLifetime(ended) {}
        }
    }

    /// Ends the workers, and removes the folder of all of them. No call may run any more.
    package func close() {
        let ended = state.withLock { state in
            state.isClosed = true
            let idle = state.idle
            state.idle = []
            return idle
        }
        withExtendedLifetime(ended) {}
        scratch.remove()
    }
}
