import CommandLineKit
import Foundation
import ScanCluster
import ScanNetwork
import SkyImage

/// `skyfarm bench`: measures what the user's own cluster does, and what more nodes would add.
struct BenchCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        let display = ProgressDisplay(
            style: .none, log: options.log)
        let folder = TemporaryFolder(named: "skyfarm-bench")
        let interrupts = Interrupts {
            display.abandon()
            folder.remove()
        }
        defer {
            display.finish()
            folder.remove()
        }
        let farm = try ScanFarm(options.cluster, events: ScanEvents(display: display))
        defer { farm.close() }
        let work = Task { try await measure(farm, folder) }
        let watcher = Task {
            for await _ in interrupts.signals { work.cancel() }
        }
        defer { watcher.cancel() }
        do {
            let report = try await work.value
            try StandardOutput.write(options.common.json ? JSONOutput.document(report) : report.text)
            return .complete
        } catch {
            if let signal = interrupts.received { throw CommandError(signal.exitCode, "bench: stopped") }
            throw Self.translate(error)
        }
    }

    private func measure(_ farm: ScanFarm, _ folder: TemporaryFolder) async throws -> BenchReport {
        try await farm.join()
        try await farm.gather()
        let systems = await usable(farm)
        let run = BenchRun(farm.systems, systems, runs: options.runs)
        var report = BenchReport(runs: options.runs, systems: systems.map(BenchReport.System.init))
        let count = HumanFormat.count(systems.count, "system")
        if options.suites.contains(.dispatch) {
            farm.events.say("measuring dispatch on \(count)")
            report.dispatch = try await run.dispatch()
        }
        if options.suites.contains(.latency) {
            farm.events.say("measuring latency on \(count)")
            report.latency = try await run.latency()
        }
        if options.suites.contains(.scan) {
            if let image = options.image {
                farm.events.say("scanning \(image) on \(count)")
                report.scan = try await run.scan(image, name: image, links: options.links)
            } else {
                farm.events.say("making a synthetic sky, and scanning it on \(count)")
                let sky = try makeSky(in: folder)
                report.scan = try await run.scan(sky, name: "synthetic sky", links: options.links)
            }
        }
        return report
    }

    /// Makes an image for the measurement.
    /// - Returns: its path.
    private func makeSky(in folder: TemporaryFolder) throws -> String {
        let path = try folder.make() + "/sky.fits"
        try SyntheticSky(SyntheticSky.Parameters(width: options.size, height: options.size)).write(to: path) { _ in
            try Task.checkCancellation()
        }
        return path
    }

    /// The systems that serve what is measured; says which do not.
    private func usable(_ farm: ScanFarm) async -> [SystemSnapshot] {
        let old = await farm.nodes.states.compactMap(\.node).filter { !$0.scanners.contains(ProbeTask.scanner) }
        for node in old {
            farm.events.say(
                "node \(node.name) is not measured: its skyfarm \(node.software) does not know how; use this version there"
            )
        }
        return farm.systems.snapshot.filter { system in !old.contains { $0.identity == system.id } }
    }

    private static func translate(_ error: any Error) -> any Error {
        switch error {
        case let error as ScanError where error.code == .noSystem:
            CommandError(.noUsableNode, "bench: \(error)")
        case let error as ScanError where error.code == .authentication:
            CommandError(.authentication, "bench: \(error)")
        case let error as ScanError where error.code == .bulkUnreadable: CommandError(.input, error.message)
        case let error as TaskFailure: CommandError(.failure, "bench: \(error); run it again")
        case let error as OutputError: CommandError(.output, error.description)
        case let error as ImageError: CommandError(.input, error.description)
        default: error
        }
    }
}

extension BenchCommand {
    struct Options: Equatable, Sendable {
        var suites: [Suite]
        /// Nil: a synthetic sky.
        var image: String?
        /// Columns and rows of the synthetic sky.
        var size: Int
        var runs: Int
        /// That forecasts are wanted for.
        var links: [LinkRate]
        var cluster: ClusterOptions
        var log: Log
        var common: CommonOptions

        init(_ arguments: Arguments) throws(UsageError) {
            let words = arguments.positionals
            suites = try words.first.map { word throws(UsageError) in [try Suite(word)] } ?? Suite.allCases
            image = words.count > 1 ? words[1] : nil
            if image != nil, suites != [.scan] {
                throw UsageError("only scan takes an image: skyfarm bench scan \(words[1])")
            }
            size = try arguments[BenchCommand.size]
            runs = try arguments[BenchCommand.runs]
            links = try arguments[BenchCommand.links]
            cluster = try ClusterOptions(arguments)
            log = try Log(arguments)
            common = try CommonOptions(arguments)
        }
    }

    /// What is measured.
    enum Suite: String, CaseIterable, Sendable {
        case dispatch, latency, scan

        init(_ word: String) throws(UsageError) {
            guard let suite = Suite(rawValue: word) else {
                throw UsageError("\"\(word)\" cannot be measured: name dispatch, latency or scan, or nothing for all")
            }
            self = suite
        }
    }

    private static let runs = Option.value(
        "runs", .integer("N", 1...1000), default: 3, help: "Measure everything so many times, and take the median")
    private static let size = Option.value(
        "size", .integer("PIXELS", 256...20_000), default: 4096, help: "Columns and rows of the synthetic sky")
    private static let links = Option.list(
        "link", LinkRate.form,
        help: "Say as well what more nodes would add over a link of so many bits per second; repeat for several")

    static let spec = CommandSpec(
        name: "bench",
        summary: "Measure dispatch, latency and scan rate of the cluster, and say what limits them",
        examples: [
            .init(
                line: "skyfarm bench",
                explanation: "Measure this machine and every node on the network, each alone and all together, and say"
                    + " how many nodes would help."),
            .init(
                line: "skyfarm bench scan image.fits --node 192.168.1.7:4870 --json",
                explanation: "Measure scans of an image of your own; print JSON."),
            .init(
                line: "skyfarm bench scan --link 1G --link 10G",
                explanation: "Say as well what more nodes would add over these links."),
        ],
        description: [
            "Each system is measured alone and all together: how many tasks that do nothing they take in a second, how"
                + " long one of these takes, and how fast one slot of each and all slots together scan an image. The"
                + " median of several runs counts; other work on the machines shows in the spread.",
            "Below the tables it says what the limit is (computing, the link, the coordinator, or too few bands), and from"
                + " how many nodes like these on more will not help.",
        ],
        arguments: [
            ArgumentSpec(
                name: "WHAT", help: "dispatch, latency or scan; all three if left out", isRequired: false,
                choices: Suite.allCases.map(\.rawValue)),
            ArgumentSpec(
                name: "IMAGE", help: "FITS file to scan; a synthetic sky is made if left out", isRequired: false,
                isFile: true),
        ],
        sections: [
            OptionSection(title: "Measurement", options: [runs.spec, size.spec, links.spec]),
            OptionSection(title: "Work", options: ClusterOptions.options), CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication, .input, .interrupted, .terminated],
        files: [.key])
}
