package import CommandLineKit
package import Console
import Foundation
import ImageScanning
import ScanCluster
import ScanNetwork

/// `skyfarm spread` copies files to the stores of nodes, so that later scans run where the files are.
///
/// ``SpreadNodes`` finds the nodes and asks which files they have, ``SpreadPlan`` assigns files to nodes, ``SpreadRun``
/// copies them with one ``SpreadTransfer`` per node, and ``SpreadReport`` has the result. On the node, ``StoreLedger``
/// decides which files are accepted. Readers begin with ``SpreadRun``.
package struct SpreadCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let list = try InputList(options.inputs, standardInput: StandardInput.text)
        let files = try list.required()
        for folder in list.leftOut { options.log.write(.warning, StyledText(folder.line)) }
        if let file = files.first(where: { $0.node != nil }) {
            throw UsageError("spread: \(file.name) lies on a node: name files of this machine")
        }
        let progress = SpreadProgress(options.common, options.log)
        let interrupts = Interrupts(beforeExit: { progress.finish() })
        defer { progress.finish() }
        let work = Task { try await copy(files, progress) }
        let report = try await interrupts.value(
            of: work, orStopped: "spread: stopped; run the same command again to go on")
        progress.finish()
        return try end(report)
    }

    private func copy(_ files: [InputList.File], _ progress: SpreadProgress) async throws -> SpreadReport {
        var known: Set<String> = []
        let inputs = files.map { SpreadInput($0.path) }.filter { input in
            // The same file may have been given by two names.
            guard let source = try? input.source.get() else { return true }
            return known.insert(source.path).inserted
        }
        let nodes = try await SpreadNodes.find(options)
        defer { nodes.close() }
        let run = SpreadRun(inputs, nodes, options, progress)
        let start = ContinuousClock.now
        var report = try await run.copy()
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    private func end(_ report: SpreadReport) throws -> ExitCode {
        if options.common.json {
            try StandardOutput.write(JSONOutput.document(report))
        } else if options.dryRun {
            try StandardOutput.write(report.plan)
        }
        for line in report.failures { options.log.write(.error, "\(line)") }
        if !options.dryRun { options.log.conclude("\(report.conclusion)") }
        return report.exitCode
    }
}

extension SpreadCommand {
    package struct Options: Equatable, Sendable {
        package var inputs: [String]
        /// Names of nodes, beginnings of names, or patterns.
        package var targets: [String]
        package var copies: Int
        package var dryRun: Bool
        package var cluster: JobCluster
        package var log: Log
        package var common: CommonOptions

        package init(_ arguments: Arguments) throws(UsageError) {
            inputs = arguments.positionals
            let names = try arguments[SpreadCommand.to].flatMap { $0.split(separator: ",").map(String.init) }
            if names.isEmpty { throw UsageError("spread: name nodes, as in --to alpha,beta or --to all") }
            targets = names.map { $0 == "all" ? "*" : $0 }
            copies = try arguments[SpreadCommand.copies]
            dryRun = try arguments[SpreadCommand.dryRun]
            cluster = try JobCluster(arguments)
            log = try Log(arguments)
            common = try CommonOptions(arguments)
        }
    }

    private static let to = Option.list(
        "to", .word("NODES"),
        help: "Copy to these nodes: names, beginnings of names or patterns, with commas between them; or all")
    private static let copies = Option.value(
        "copies", .integer("N", 1...1000), default: 1, help: "Number of nodes that get each file")
    private static let dryRun = Option.toggle("dry-run", help: "Print which node would get which file, and exit")

    package static let spec = CommandSpec(
        name: "spread",
        summary: "Copy files to nodes, where later scans read them",
        examples: [
            .init(
                line: "skyfarm spread night/ --to all",
                explanation: "Copy each image of a night to one of the nodes that keep files. skyfarm scan night/ then"
                    + " has each node read the images that it keeps."),
            .init(
                line: "skyfarm spread night/*.fits.fz --to alpha,beta,gamma --copies 2",
                explanation: "Copy each file to two of three nodes."),
        ],
        description: [
            "A node keeps files if its owner has started it with skyfarm node --store DIR. A file is kept below DIR under its"
                + " absolute path on this machine, with its time of change. Scans that name the file here, on any machine, or"
                + " as NODE:/PATH, find it there, if it has the size, the time of change and the header that it has here.",
            "Each file goes to the nodes that then have the fewest bytes for each of their slots. A file that a node has"
                + " already, of the same size and time of change, is one of its copies and is not sent; so the same"
                + " command goes on after an interruption, and copies what is new. Of a file with another time of change"
                + " the SHA-256 are compared. A different file of the name is never replaced: it is named, with its node.",
            "The bytes go to a temporary file, which gets its name when all have arrived and have their SHA-256. Files that"
                + " are compressed as a whole (.gz) are refused, since nodes could not read parts of them.",
            "A file that cannot be copied is named with the node and the reason, and the others are copied: the exit code"
                + " is then 23, or that of the first failure if none was copied.",
        ],
        arguments: [
            ArgumentSpec(
                name: "FILE",
                help:
                    "FITS file; a folder of FITS files; a pattern; @LIST: a list with a name per line; - for such a list"
                    + " on standard input", isFile: true, repeats: true)
        ],
        sections: [
            OptionSection(
                title: "Options",
                options: [
                    to.spec, copies.spec, dryRun.spec, NodeOptions.nodes.spec, NodeOptions.srv.spec,
                    NodeOptions.noDiscovery.spec, LogOptions.format.spec,
                ]),
            CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication, .input, .partialCatalogue, .interrupted, .terminated],
        files: [.key])
}
