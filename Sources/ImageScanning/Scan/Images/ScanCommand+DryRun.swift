import CommandLineKit
import Console
import Foundation
import SkyFITS

/// `--dry-run`: what a scan would do.
extension ScanCommand {
    func dryRun(_ files: [InputList.File], _ outputs: OutputPlans, _ sole: SoleImage?) throws -> ExitCode {
        let lines = files.map { file in
            DryRunLine(
                file: file.name, outputs: outputs.catalogues.templates.map { $0.name(file: file.path) },
                merged: options.images.merged, nodes: options.cluster.nodes.map(\.description),
                images: sole.map { [DryRunLine.Image($0, warnings: warnings(of: $0.reader.summary))] })
        }
        for warning in sole.map({ warnings(of: $0.reader.summary) }) ?? [] {
            options.log.write(.warning, StyledText(warning))
        }
        for line in lines {
            try StandardOutput.write(options.common.json ? JSONOutput.line(line) : line.text)
        }
        if let merged = options.images.merged, !options.common.json {
            try StandardOutput.write("\(HumanFormat.count(files.count, "file")) -> \(merged)\n")
        }
        return .complete
    }
}

/// The outputs that a scan of a file would write; `v` is the version of the format.
private struct DryRunLine: Encodable {
    var v = 2
    var file: String
    var outputs: [String]
    var merged: String?
    var nodes: [String]
    /// Omitted for many images, which are not opened.
    var images: [Image]?

    struct Image: Encodable {
        var image: String
        var hdu: Int
        var width: Int
        var height: Int
        var gain: Double?
        var warnings: [String]
        var bands: Int
        var bandRows: Int
        var lowBands: Int
        var lowBandRows: Int?

        init(_ sole: SoleImage, warnings: [String]) {
            let (image, plan) = (sole.reader.summary, sole.plan)
            (self.image, hdu, width, height) = (image.name, image.hdu, image.width, image.height)
            gain = sole.parameters.gain > 0 ? sole.parameters.gain : nil
            self.warnings = warnings
            (bands, bandRows, lowBands) = (plan.count, plan.rows, 2 * plan.lowCount)
            lowBandRows = plan.lowCount == 0 ? nil : plan.lowRows
        }
    }

    var text: String {
        guard let image = images?.first else { return "\(file) -> \(outputs.joined(separator: ", "))\n" }
        let low = image.lowBandRows.map { ", but \(image.lowBands) of \($0)" } ?? ""
        return """
            image   \(image.image), HDU \(image.hdu), \(image.width) x \(image.height) pixels
            gain    \(image.gain.map { "\(plainText($0)) electrons per unit of the samples" } ?? "none")
            bands   \(image.bands) of \(image.bandRows) rows\(low)
            output  \(outputs.joined(separator: ", "))
            nodes   \(nodes.isEmpty ? "none" : nodes.joined(separator: ", "))

            """
    }
}
