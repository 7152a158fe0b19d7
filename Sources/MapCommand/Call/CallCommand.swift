package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ProgramTask
import ScanBasics
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity

/// `skyfarm call` calls a Python function that the owners of nodes give away for each of many values.
///
/// ``CallInput`` reads the values, ``CallRun`` makes a task of each and keeps the order of the results, and
/// ``CallOutput`` writes them. On the node, `PythonHost` calls the function. Readers begin with ``run()``.
package struct CallCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: { display.abandon() })
        defer { display.finish() }
        let events = ScanEvents(display: display)
        let work = Task { try await run(events) }
        let hasNoReader = Locked(false)
        Self.watchReader {
            hasNoReader.withLock { $0 = true }
            work.cancel()
        }
        do {
            let advice = options.journal == nil ? "" : "; the same command with the same --journal goes on"
            let report = try await interrupts.value(of: work, orStopped: "call: stopped\(advice)")
            display.finish()
            for (line, details) in report.failures {
                options.log.write(.error, "\(line)")
                for detail in details { options.log.write(.error, "  \(detail)") }
            }
            options.log.conclude("\(report.conclusion)")
            return report.failed == 0 ? .complete : .partialCatalogue
        } catch {
            display.finish()
            if hasNoReader.withLock({ $0 }) { throw CommandError(.brokenPipe, "standard output", errno: EPIPE) }
            throw error
        }
    }

    /// Calls `body` once nobody can read standard output any more, for example because a program that used this one was
    /// killed: the next result may be far away. The thread ends with the process.
    private static func watchReader(_ body: @escaping @Sendable () -> Void) {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
        Thread.detachNewThread {
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents & Int16(POLLERR) != 0 { body() }
        }
    }

    private func run(_ events: ScanEvents) async throws -> CallReport {
        let slots = options.isLocal ? options.cluster.slotsHere : 0
        let host = slots == 0 ? nil : try options.modules.host(slots: slots, environment: options.environment)
        defer { host?.close() }
        let module = options.module
        let work = GivenWork(
            taskType: PythonTask.typeName, cluster: options.cluster, local: (slots, host?.tags ?? []),
            maxAttempts: options.maxAttempts,
            lack: "no node gives the Python module \(module) away: its owner does by `skyfarm node --python"
                + " \(module)=PATH`, and --local-python \(module)=PATH calls its functions here")
        let page = RunPage(options.dashboard, of: PythonTask.typeName, events.display, options.common)
        let run = try await CallRun(options, events, page)
        try await work.run(page: page, events) { try await run.run(on: $0) }
        return run.report
    }
}
