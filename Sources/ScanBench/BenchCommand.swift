package import CommandLineKit
package import Console
import Foundation
import ImageScanning
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyExtraction
import SkySynthetic

/// `skyfarm bench` measures the cluster and estimates the benefit of more nodes.
///
/// The command connects the nodes, lets ``BenchRun`` measure the systems that support it, and writes the resulting
/// ``BenchReport`` as tables or JSON. ``ScanMeasurement`` computes the report of the scans from their ``ScanTrial``s,
/// and ``ScalingModel`` the forecasts. Readers begin with ``BenchRun``.
package struct BenchCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
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
        let events = ScanEvents(display: display)
        let node = try ScanNode.started(options.cluster, events: events)
        defer { node.disconnect() }
        let work = Task { try await measure(node, events, folder) }
        let report = try await interrupts.value(of: work, orStopped: "bench: stopped")
        try StandardOutput.write(options.common.json ? JSONOutput.document(report) : report.text)
        return .complete
    }

    private func measure(_ node: ScanNode, _ events: ScanEvents, _ folder: TemporaryFolder) async throws -> BenchReport
    {
        try await node.join(options.cluster, events)
        try await node.gather(options.cluster, events)
        let systems = await usable(node, events)
        let run = BenchRun(node.systems, systems, runs: options.runs)
        var report = BenchReport(runs: options.runs, systems: systems.map(BenchReport.System.init))
        let count = HumanFormat.count(systems.count, "system")
        if options.suites.contains(.dispatch) {
            events.say("measuring dispatch on \(count)")
            report.dispatch = try await run.dispatch()
        }
        if options.suites.contains(.latency) {
            events.say("measuring latency on \(count)")
            report.latency = try await run.latency()
        }
        if options.suites.contains(.scan) {
            if let image = options.image {
                events.say("scanning \(image) on \(count)")
                report.scan = try await run.scan(image, isSynthetic: false, links: options.links)
            } else {
                events.say("scanning a synthetic image on \(count)")
                let sky = try makeSky(in: folder)
                report.scan = try await run.scan(sky, isSynthetic: true, links: options.links)
            }
        }
        return report
    }

    /// Writes a synthetic image into the folder.
    /// - Returns: The path of the image.
    private func makeSky(in folder: TemporaryFolder) throws -> String {
        let path = try folder.make() + "/sky.fits"
        try SyntheticSky(SyntheticSky.Parameters(width: options.size, height: options.size)).write(to: path) { _ in
            try Task.checkCancellation()
        }
        return path
    }

    /// Returns the systems that support the measurements, and reports the others.
    private func usable(_ node: ScanNode, _ events: ScanEvents) async -> [SystemSnapshot] {
        let old = await node.connections.states.compactMap(\.node).filter { !$0.taskTypes.contains(ProbeTask.typeName) }
        for node in old {
            events.say(
                "node \(node.name) is not measured: its version \(node.software) does not support that; update the node"
            )
        }
        return node.systems.snapshot.filter { system in !old.contains { $0.identity == system.id } }
    }
}

extension BenchCommand {
    package struct Options: Equatable, Sendable {
        package var suites: [Suite]
        /// Path of the image to scan, or nil for a synthetic image.
        package var image: String?
        /// Number of columns and rows of the synthetic image.
        package var size: Int
        package var runs: Int
        /// Links for which forecasts are computed.
        package var links: [LinkRate]
        package var cluster: ClusterOptions
        package var log: Log
        package var common: CommonOptions

        package init(_ arguments: Arguments) throws(UsageError) {
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

    package enum Suite: String, CaseIterable, Sendable {
        case dispatch, latency, scan

        package init(_ word: String) throws(UsageError) {
            guard let suite = Suite(rawValue: word) else {
                throw UsageError(
                    "unknown measurement \"\(word)\"; use dispatch, latency or scan, or none for all three")
            }
            self = suite
        }
    }

    private static let runs = Option.value(
        "runs", .integer("N", 1...1000), default: 3, help: "Number of runs of each measurement; the median counts")
    private static let size = Option.value(
        "size", .integer("PIXELS", 256...20_000), default: 4096, help: "Columns and rows of the synthetic image")
    private static let links = Option.list(
        "link", LinkRate.form,
        help: "Also forecast scans over a link of this rate; without nodes, for nodes like this machine")

    package static let spec = CommandSpec(
        name: "bench",
        summary: "Measure dispatch, latency and scan rate of the cluster",
        examples: [
            .init(
                line: "skyfarm bench",
                explanation:
                    "Measure this machine and every node on the network, each alone and all together, and estimate"
                    + " how many nodes would help."),
            .init(
                line: "skyfarm bench scan image.fits --node 192.168.1.7:4870 --json",
                explanation: "Measure scans of this image on one node and this machine; print JSON."),
            .init(
                line: "skyfarm bench scan --link 1G --link 10G",
                explanation: "Also forecast the benefit of more nodes over these links."),
        ],
        description: [
            "The first line has the time that an image takes on this machine alone, and with all nodes: the image given, or"
                + " one of 10240 x 10240 pixels, scaled by the number of pixels from the synthetic image that was scanned.",
            "dispatch is the rate of null tasks, of each system, of all together, and of all together with tasks sent"
                + " in chunks. latency is the round trip of one null task. scan is the time to scan an image with one"
                + " slot of each system and with all slots. Each figure is the median of several runs; other load"
                + " on the machines widens the range from lowest to highest.",
            "Below the tables is the processor time that this machine takes to read, pack and send what nodes scan. With"
                + " --link it is part of the forecast, which needs no node: it then assumes nodes like this machine.",
            "Below that are the limiting factor (CPU, the link, the coordinator, or the number of bands), and the"
                + " number of nodes beyond which more nodes do not help.",
        ],
        arguments: [
            ArgumentSpec(
                name: "WHAT", help: "dispatch, latency or scan; without it, all three", isRequired: false,
                choices: Suite.allCases.map(\.rawValue)),
            ArgumentSpec(
                name: "IMAGE", help: "FITS file to scan; without it, a synthetic image is made", isRequired: false,
                isFile: true),
        ],
        sections: [
            OptionSection(title: "Measurement", options: [runs.spec, size.spec, links.spec]),
            OptionSection(title: "Work", options: ClusterOptions.options), CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication, .input, .interrupted, .terminated],
        files: [.key])
}
