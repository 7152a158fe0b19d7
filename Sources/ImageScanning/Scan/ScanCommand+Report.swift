package import CommandLineKit
package import Console
import Foundation
import ScanCluster
package import ScanFarm
package import ScanNetwork
package import SkyCatalogue
package import SkyExtraction
import SkyFITS
package import SkyScan

extension ScanCommand {
    /// The account of a scan whose sources are complete. The nodes are still there, and known.
    /// `isOnly`: whether the node's system has done nothing else.
    package func account(
        _ recorder: ScanRecorder, _ reader: ImageReader, _ node: ScanNode, isOnly: Bool
    ) async -> ScanAccount {
        let processors = node.systems.snapshot.map { ($0.name, $0.processors) }
        let slotReading = await reader.slotProcessorSeconds
        return ScanAccount(
            recorder.timeline, before: isOnly ? recorder.before : 0, readingSeconds: await reader.readingSeconds,
            local: ScanEvents.localName,
            processorSeconds: isOnly ? node.local?.processorSeconds.map { $0 - slotReading } : nil,
            readingProcessorSeconds: isOnly ? await reader.readingProcessorSeconds : 0,
            processors: Dictionary(processors) { $1 }.compactMapValues(\.self))
    }

    /// Reports what was found and written: as a line on standard error, with --json on standard output.
    package func report(
        _ result: SkyScanResult, _ image: ImageSummary, _ parameters: ScanParameters, _ outputs: [CatalogueOutput],
        _ account: ScanAccount, _ nodes: RemoteNodes, link: String?, _ delivery: Delivery?, _ log: Log, seconds: Double
    ) throws {
        if options.common.json {
            var report = ScanReport(
                result, image, gain: parameters.gain, outputs: outputs.map(\.path) + options.sidePaths,
                account, traffic: PixelTraffic(nodes.traffic), delivery: delivery, seconds: seconds)
            report.warnings = warnings(of: image) + [result.precisionProblem(of: image)].compactMap(\.self)
            try StandardOutput.write(JSONOutput.document(report))
        }
        if let problem = image.coordinatesProblem {
            log.write(.error, "\(name: image.name): no ra and dec in the catalogue: \(problem)")
        }
        if let problem = result.precisionProblem(of: image) { log.write(.warning, "\(name: image.name): \(problem)") }
        for sector in result.missing { log.write(.error, "\(sector.line)") }
        for line in nodes.copyLines(nil) { log.write(.warning, "\(line)") }
        if let line = nodes.pixelLine { log.conclude("\(line)") }
        if let link { log.conclude("\(link)") }
        let found = ScanReport.found(result, pixels: image.area)
        let files = outputs.filter { !$0.isStandardOutput }.map(\.path) + options.sidePaths
        let written = files.isEmpty ? "" : ", written to \(files.joined(separator: ", "))"
        let resumed = result.tally.resumed
        let saved = resumed == 0 ? "" : ", \(HumanFormat.count(resumed, "task")) resumed from the journal"
        let speed = account.words.map { "; " + $0 } ?? ""
        log.conclude(
            "\(name: image.name): \(found) in \(HumanFormat.duration(seconds: seconds))\(saved)\(written)\(speed)")
        report(delivery, log)
    }

    /// Prints what a scan would do.
    package func dryRun(
        _ image: ImageSummary, _ parameters: ScanParameters, _ plan: BandPlan, _ outputs: [CatalogueOutput]
    ) throws -> ExitCode {
        let warnings = warnings(of: image)
        for warning in warnings { options.log.write(.warning, StyledText(warning)) }
        let report = DryRunReport(
            image: image.name, width: image.width, height: image.height, hdu: image.hdu, images: image.imageCount,
            gain: parameters.gain > 0 ? parameters.gain : nil, warnings: warnings, bands: plan.count,
            bandRows: plan.rows, lowBands: 2 * plan.lowCount, lowBandRows: plan.lowCount == 0 ? nil : plan.lowRows,
            outputs: outputs.map(\.path), nodes: options.cluster.nodes.map(\.description))
        if options.common.json {
            try StandardOutput.write(JSONOutput.document(report))
        } else {
            let low = plan.lowCount == 0 ? "" : ", but \(2 * plan.lowCount) of \(plan.lowRows)"
            try StandardOutput.write(
                """
                image   \(report.image), HDU \(report.hdu), \(report.width) x \(report.height) pixels
                gain    \(report.gain.map { "\(plainText($0)) electrons per unit of the samples" } ?? "none")
                bands   \(report.bands) of \(report.bandRows) rows\(low)
                output  \(report.outputs.joined(separator: ", "))
                nodes   \(report.nodes.isEmpty ? "none" : report.nodes.joined(separator: ", "))

                """)
        }
        return .complete
    }

    private struct DryRunReport: Encodable {
        var v = 1
        var image: String
        var width: Int
        var height: Int
        var hdu: Int
        var images: Int
        var gain: Double?
        var warnings: [String]
        var bands: Int
        var bandRows: Int
        var lowBands: Int
        var lowBandRows: Int?
        var outputs: [String]
        var nodes: [String]
    }
}

extension MissingSector {
    /// Position, step and reason in one line.
    package var line: String {
        // A band without a background of its own is scanned with that of its neighbours.
        "\(step == .background ? "degraded" : "missing"): rows \(rect.y.lowerBound) to \(rect.y.upperBound - 1), "
            + "columns \(rect.x.lowerBound) to \(rect.x.upperBound - 1) (\(step.rawValue)): \(reason)"
    }
}
