import CommandLineKit
import Foundation
import SkyImage
import SkyReport
import SkyScan

extension ScanCommand.Options {
    /// What people get to look at.
    struct Page: Equatable, Sendable {
        /// The report, an HTML file.
        var report: String?
        /// The image, shrunk to a PNG file.
        var preview: String?
        /// The command with all its settings, as a shell takes it.
        var command: String

        init(_ arguments: Arguments) throws(UsageError) {
            report = try arguments[Self.report]
            preview = try arguments[Self.preview]
            command = (["skyfarm", "scan"] + arguments.completeWords(of: ScanCommand.spec)).map(quotedForShell)
                .joined(separator: " ")
        }

        /// The files.
        var paths: [String] { [report, preview].compactMap { $0 } }

        static let report = Option.optional(
            "report", .file("FILE.html"),
            help: "Write a page about the scan here: image, sources, who did what; one file that needs no other")
        static let preview = Option.optional(
            "preview", .file("FILE.png"), help: "Write the image here, at most 1600 pixels wide and high")
    }
}

extension ScanCommand {
    /// Finds out whether the files can be written when the scan is done.
    func preparePages() throws(CommandError) {
        do throws(OutputError) {
            for path in options.page.paths { try AtomicFile.check(path: path, overwrite: options.overwrite) }
        } catch {
            throw CommandError(.output, error.description)
        }
    }

    /// The preview for files that stay.
    func preview(_ reader: ImageReader) async throws -> Preview {
        let image = reader.summary
        return try await shrink(reader, PreviewBuilder(width: image.width, height: image.height))
    }

    /// The preview for those who watch: good enough to look at, and hardly any work beside a scan.
    func livePreview(_ reader: ImageReader) async throws -> Preview {
        let image = reader.summary
        return try await shrink(
            reader, PreviewBuilder(width: image.width, height: image.height, limit: 1000, rowsOfSquare: 2))
    }

    /// Shrinks the image, a few megabytes at a time, beside the scan.
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

    /// Report and preview as far as they are wanted, complete but for their names.
    func makePages(
        _ result: SkyScanResult, _ image: ImageSummary, _ table: CatalogueTable, _ preview: Preview?,
        _ recorder: ScanRecorder
    ) throws -> [AtomicFile] {
        guard let preview else { return [] }
        let timeline = recorder.timeline
        do {
            var files: [AtomicFile] = []
            if let path = options.page.preview { files.append(try file(try preview.png(), path)) }
            if let path = options.page.report {
                let page = try ReportPage.html(
                    contents(result, image, seconds: timeline.end ?? recorder.elapsed), timeline: timeline,
                    table: table, preview: preview, step: ScanStep.extraction.rawValue)
                files.append(try file(page, path))
            }
            return files
        } catch let error as PNGError {
            throw CommandError(.output, "\(error)")
        }
    }

    private func file(_ bytes: [UInt8], _ path: String) throws(OutputError) -> AtomicFile {
        let file = try AtomicFile(path: path, overwrite: options.overwrite)
        try file.write(bytes)
        try file.finish()
        return file
    }

    private func contents(_ result: SkyScanResult, _ image: ImageSummary, seconds: Double) -> ReportContents {
        ReportContents(
            image: image.name, width: image.width, height: image.height, unit: image.sampleUnit,
            software: Skyfarm.software,
            began: Date(timeIntervalSinceNow: -seconds).formatted(.iso8601), seconds: seconds,
            resumedTasks: result.tally.resumed, missing: result.missing.map(\.line), command: options.page.command,
            folder: quotedForShell(FileManager.default.currentDirectoryPath),
            outputs: options.outputs + options.page.paths)
    }
}

extension Arguments {
    /// The words of the command with what environment and settings file add to them, so that they say it all.
    func completeWords(of command: CommandSpec) -> [String] {
        let further = command.options.filter { flags[$0.name] == nil }.flatMap { option in
            settings(of: option).map { "--\(option.name)=\($0.text)" }
        }
        // Before the words: after a "--" they would be arguments.
        return further + words
    }
}
