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
        let advice = options.output == .standardOutput ? "" : "; the same command with --resume goes on"
        let report = try await interrupts.value(of: work, orStopped: "map: stopped\(advice)")
        display.finish()
        return try end(report)
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
        let program = options.program
        let work = GivenWork(
            taskType: ProgramSeries.typeName, cluster: options.cluster, local: (slots, host?.tags ?? []),
            maxAttempts: options.maxAttempts, hedges: options.hedges,
            lack: "no node runs the program \(program): its owner names it by `skyfarm node --program \(program)=PATH`,"
                + " and --local-program \(program)=PATH runs it here")
        let page = RunPage(options.dashboard, of: ProgramSeries.typeName, events.display, options.common)
        var run = try MapRun(plan, items, events, page)
        let traffic = try await work.run(page: page, events) { try await run.run(on: $0) }
        return run.report.with(traffic)
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
