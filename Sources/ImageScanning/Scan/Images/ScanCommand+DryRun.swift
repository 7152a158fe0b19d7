import CommandLineKit
import Console
import Foundation
import ScanBasics
import SkyFITS

/// `--dry-run`: what a scan would do.
extension ScanCommand {
    /// Prints what a scan would do. Files on nodes are not opened. `leftOut`: folders without files.
    func dryRun(
        _ files: [InputList.File], _ outputs: OutputPlans, _ sole: SoleImage?, _ leftOut: [LeftOut]
    ) throws -> ExitCode {
        var omitted = LeftOutFiles(limit: .max)
        leftOut.forEach { omitted.append($0) }
        let lines = files.map { file in
            var line = DryRunLine(
                file: file.name, outputs: outputs.catalogues.templates.map { $0.name(file: file.path) },
                merged: options.images.merged, nodes: options.cluster.nodes.map(\.description),
                images: sole.map { [DryRunLine.Image($0, warnings: warnings(of: $0.reader.summary))] })
            guard sole == nil, file.node == nil else { return line }
            do {
                guard let leftOut = try choose(file).leftOut else { return line }
                omitted.append(leftOut)
                (line.outputs, line.leftOut) = ([], leftOut)
            } catch {
                options.log.write(.warning, StyledText(String(describing: error)))
            }
            return line
        }
        for warning in sole.map({ warnings(of: $0.reader.summary) }) ?? [] {
            options.log.write(.warning, StyledText(warning))
        }
        for folder in leftOut { options.log.write(.warning, StyledText(folder.line)) }
        for line in lines {
            try StandardOutput.write(options.common.json ? JSONOutput.line(line) : line.text)
        }
        let count = lines.count { $0.leftOut == nil }
        if let merged = options.images.merged, !options.common.json {
            try StandardOutput.write("\(HumanFormat.count(count, "file")) -> \(merged)\n")
        }
        if let words = omitted.words {
            options.log.conclude("\(HumanFormat.count(count, "file")) to scan, \(words)")
        }
        return count == 0 ? .input : .complete
    }
}

/// The outputs that a scan of a file would write; `v` is the version of the format.
private struct DryRunLine: Encodable {
    var v = 2
    var file: String
    var outputs: [String]
    var merged: String?
    var nodes: [String]
    /// Omitted for many images.
    var images: [Image]?
    /// Why the file would be left out; omitted if it would not.
    var leftOut: LeftOut?

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
        if let leftOut { return leftOut.line.printable + "\n" }
        guard let image = images?.first else { return "\(file) -> \(outputs.joined(separator: ", "))".printable + "\n" }
        let low = image.lowBandRows.map { ", but \(image.lowBands) of \($0)" } ?? ""
        return """
            image   \(image.image.printable), HDU \(image.hdu), \(image.width) x \(image.height) pixels
            gain    \(image.gain.map { "\(plainText($0)) electrons per unit of the samples" } ?? "none")
            bands   \(image.bands) of \(image.bandRows) rows\(low)
            output  \(outputs.joined(separator: ", ").printable)
            nodes   \(nodes.isEmpty ? "none" : nodes.joined(separator: ", "))

            """
    }
}
