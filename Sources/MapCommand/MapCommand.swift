package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ProgramTask
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity

/// `skyfarm map` runs a program that the owners of nodes have named on many files.
///
/// ``MapInputs`` finds the items, ``MapPlan`` makes a task of each and names its results, and ``MapRun`` runs the tasks
/// and stores what returns. On the node, `ProgramHost` runs the program. Readers begin with ``run()``.
package struct MapCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let plan = try MapPlan(options)
        let items = try MapInputs(options).items.map { try plan.prepared($0) }
        try plan.check(items)
        if options.isDryRun {
            for item in items { try StandardOutput.write(item.commandLine + "\n") }
            return .complete
        }
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: { display.abandon() })
        defer { display.finish() }
        let events = ScanEvents(display: display)
        let work = Task { try await run(plan, items, events) }
        let watcher = Task {
            for await _ in interrupts.signals { work.cancel() }
        }
        defer { watcher.cancel() }
        do {
            let report = try await work.value
            display.finish()
            return try end(report)
        } catch {
            display.finish()
            guard let signal = interrupts.received else { throw error }
            let advice = options.output == .standardOutput ? "" : "; the same command with --resume goes on"
            throw CommandError(signal.exitCode, "map: stopped\(advice)")
        }
    }

    /// Returns the paths of the files that a run with these arguments sends, and of the lists that name them.
    /// - Throws: `CommandError` or others, if one is not there.
    package static func inputs(of arguments: Arguments) throws -> [String] {
        let options = try Options(arguments)
        let plan = try MapPlan(options)
        let lists = options.inputs.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        return try MapInputs(options).items.flatMap { try plan.prepared($0).paths } + options.shared + lists
    }

    private func run(_ plan: MapPlan, _ items: [PreparedItem], _ events: ScanEvents) async throws -> MapReport {
        let slots = options.isLocal ? options.cluster.slotsHere : 0
        let host = slots == 0 ? nil : try options.programs.host(slots: slots, environment: options.environment)
        defer { host?.close() }
        var remote = RemoteNodes.Options()
        remote.taskTypes = [ProgramTask.typeName]
        remote.measuresLinks = slots > 0
        // The time of a program is limited where it runs: nothing is known of it here.
        var limits = ScanCoordinator.Options(
            maxAttempts: options.maxAttempts, waitForSystems: .seconds(options.cluster.waitSeconds),
            adaptiveTimeout: nil)
        limits.hedges = options.hedges
        let page = RunPage(options.dashboard, events.display, options.common)
        var run = try MapRun(plan, items, events, page)
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

    /// Why no system runs the program, and what to do.
    private func unusable(_ node: ScanNode, _ error: ScanError) async -> any Error {
        let states = await node.connections.states.filter { !$0.isUsable }
        let nodes = UnusableNodes(states, discovered: node.membership.peers)
        let program = options.program
        var words =
            "no node runs the program \(program): its owner names it by `skyfarm node --program \(program)=PATH`, and"
            + " --local-program \(program)=PATH runs it here"
        if !nodes.isEmpty { words += " (\(nodes.troubles.joined(separator: "; ")))" }
        return nodes.lackKey ? ConnectError(.authentication, words) : ScanError(.noSystem, words)
    }

    private func end(_ report: MapReport) throws -> ExitCode {
        if options.common.json { try StandardOutput.write(JSONOutput.document(report)) }
        for (line, details) in report.failures {
            options.log.write(.error, "\(line)")
            for detail in details { options.log.write(.error, "  \(detail)") }
        }
        options.log.conclude("\(report.conclusion)")
        return report.exitCode
    }
}
