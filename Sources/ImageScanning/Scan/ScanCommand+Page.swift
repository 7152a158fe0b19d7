package import CommandLineKit
import Console
import Foundation
import ScanBasics
import SkyCatalogue
import SkyFITS
package import SkyReport
package import SkyScan

extension ScanCommand.Options {
    /// Report page and preview.
    package struct Page: Equatable, Sendable {
        /// Path of the HTML file.
        package var report: String?
        /// The folder of the pages of many images.
        package var folder: String?
        /// Path of the PNG file.
        package var preview: String?
        /// The command with all its settings, quoted for a shell.
        package var command: String

        init(_ arguments: Arguments) throws(UsageError) {
            folder = try arguments[Self.report].flatMap { Self.isFolder($0) ? $0 : nil }
            report = folder == nil ? try Self.path(Self.report, endings: ["html", "htm"], arguments) : nil
            preview = try Self.path(Self.preview, endings: ["png"], arguments)
            command = commandLine(["skyfarm", "scan"] + arguments.completeWords(of: ScanCommand.spec))
        }

        /// The value of an option for a file of one format.
        private static func path(
            _ option: Option<String?>, endings: [String], _ arguments: Arguments
        ) throws(UsageError) -> String? {
            guard let path = try arguments[option] else { return nil }
            let ending = path.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
            guard endings.contains(ending) else {
                let list = endings.map { "." + $0 }.joined(separator: " or ")
                let isBare = option.spec.name == Self.report.spec.name && ending == path.lowercased()
                let folder = isBare ? "; for several images a folder: \(path)/" : ""
                throw UsageError("--\(option.spec.name): \(path): unknown ending; use \(list)\(folder)")
            }
            return path
        }

        /// Whether the name is that of a folder: it ends in `/`, or there is one.
        private static func isFolder(_ path: String) -> Bool {
            path.hasSuffix("/") || (try? ReadableFiles.current.kind(of: path)) == .folder
        }

        /// Files of one image.
        package var paths: [String] { [report, preview].compactMap(\.self) }

        /// All of them.
        var all: [String] { paths + [folder].compactMap(\.self) }

        package static let report = Option.optional(
            "report", .file(.writes, "FILE.html"),
            help: "Write an HTML report to FILE: image, sources, timeline of the nodes; one self-contained file. Of"
                + " several images each has a page, as in pages/{stem}.html; a folder, as in night/, gets an index too")
        package static let preview = Option.optional(
            "preview", .file(.writes, "FILE.png"),
            help: "Write the image to FILE, scaled down to at most 1600 x 1600 pixels; for several images"
                + " name it by {stem}")
    }
}

extension ScanCommand {
    /// The preview for report and PNG file, with sides of at most `side` pixels.
    package func preview(_ reader: ImageReader, side: Int = 1600) async throws -> Preview {
        let image = reader.summary
        return try await shrink(reader, PreviewBuilder(width: image.width, height: image.height, limit: side))
    }

    /// The preview for the live page: smaller, from fewer rows.
    func livePreview(_ reader: ImageReader) async throws -> Preview {
        let image = reader.summary
        return try await shrink(
            reader, PreviewBuilder(width: image.width, height: image.height, limit: 1000, rowsOfSquare: 2))
    }

    /// Scales the image down, a few megabytes at a time, while the scan runs.
    private func shrink(_ reader: ImageReader, _ empty: PreviewBuilder) async throws -> Preview {
        var builder = empty
        let width = builder.width
        while let rows = builder.nextRows(limit: (1 << 20) / width) {
            try Task.checkCancellation()
            let pixels = try await reader.read(rows: rows)
            pixels.withUnsafeBufferPointer { builder.add(rows: $0) }
        }
        return builder.finish()
    }

    /// The facts of the scan that are known at its beginning, for report and live page.
    func pageFacts(_ image: ImageSummary, _ recorder: ScanRecorder) -> LiveUpdate.Scan {
        var scan = LiveUpdate.Scan(
            image: image.name, width: image.width, height: image.height, unit: image.sampleUnit,
            software: Software.name, began: recorder.began.withMilliseconds,
            folder: quotedForShell(FileManager.default.currentDirectoryPath), command: options.page.command,
            sky: (try? CelestialWCS(header: image.header)).flatMap {
                SkyGrid($0, width: image.width, height: image.height)
            })
        let observation = Observation(image.cards)
        scan.observation = observation.isEmpty ? nil : observation
        return scan
    }
}

extension Arguments {
    /// The words of the command, with the settings from environment and settings file as flags.
    package func completeWords(of command: CommandSpec) -> [String] {
        let further = command.options.filter { flags[$0.name] == nil }.flatMap { option in
            settings(of: option).map { "--\(option.name)=\($0.text)" }
        }
        // Before the words, since flags after "--" would be arguments.
        return further + words
    }
}
