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
        let watcher = Task {
            for await _ in interrupts.signals { work.cancel() }
        }
        defer { watcher.cancel() }
        let hasNoReader = Locked(false)
        Self.watchReader {
            hasNoReader.withLock { $0 = true }
            work.cancel()
        }
        do {
            let report = try await work.value
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
            guard let signal = interrupts.received else { throw error }
            let advice = options.journal == nil ? "" : "; the same command with the same --journal goes on"
            throw CommandError(signal.exitCode, "call: stopped\(advice)")
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
        var remote = RemoteNodes.Options()
        remote.taskTypes = [PythonTask.typeName]
        remote.measuresLinks = slots > 0
        // The time of a call is limited where it runs: nothing is known of it here.
        let limits = ScanCoordinator.Options(
            maxAttempts: options.maxAttempts, waitForSystems: .seconds(options.cluster.waitSeconds),
            adaptiveTimeout: nil)
        let page = RunPage(options.dashboard, events.display, options.common)
        let run = try await CallRun(options, events, page)
        let node = try ScanNode.started(
            options.cluster, remote: remote, local: (slots, host?.tags ?? []), limits: limits, page: page.page,
            events: events)
        defer { node.disconnect() }
        if slots == 0 { _ = await node.systems.first(within: .seconds(options.cluster.waitSeconds)) }
        do {
            try await run.run(on: node.coordinator)
        } catch let error as ScanError where error.code == .noSystem {
            throw await unusable(node, error)
        }
        await node.close()
        return run.report
    }

    /// Why no system calls the function, and what to do.
    private func unusable(_ node: ScanNode, _ error: ScanError) async -> any Error {
        let states = await node.connections.states.filter { !$0.isUsable }
        let nodes = UnusableNodes(states, discovered: node.membership.peers)
        let module = options.module
        var words =
            "no node gives the Python module \(module) away: its owner does by `skyfarm node --python \(module)=PATH`,"
            + " and --local-python \(module)=PATH calls its functions here"
        if !nodes.isEmpty { words += " (\(nodes.troubles.joined(separator: "; ")))" }
        return nodes.lackKey ? ConnectError(.authentication, words) : ScanError(.noSystem, words)
    }
}
