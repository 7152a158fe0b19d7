import CommandLineKit
import Foundation
import ScanBasics
import SkyCatalogue
import SkyScan

/// The table of `--merged`: the rows of the FITS catalogues of all files, in the order of the inputs.
package struct MergedOutput: Sendable {
    let path: String
    private let files: [InputList.File]
    /// Names the catalogue of each file.
    private let template: OutputTemplate
    private let overwrite: Bool

    /// The table `path` of the catalogues of `files`. The file system is not accessed.
    /// - Throws: `UsageError` for a format without rows, if there are no FITS catalogues to read, or if the file is an
    ///   image or one of the catalogues.
    init(_ path: String, of files: [InputList.File], _ outputs: OutputPlan, overwrite: Bool) throws {
        let template = outputs.templates.first { template in
            !template.isPerImage && CatalogueFormat(path: template.name(file: "image.fits")) == .fits
        }
        guard let template else {
            throw UsageError(
                "--merged reads the FITS catalogues of the files: add -o FOLDER/, or for instance -o 'cats/{stem}.fits'"
            )
        }
        let own = ScanCommand.absolute(path)
        for file in files {
            let names = outputs.templates.map { $0.name(file: file.path) }
            if ([file.path] + names).contains(where: { ScanCommand.absolute($0) == own }) {
                throw UsageError("--merged: \(path) is an image, or the catalogue of one; choose another name")
            }
        }
        (self.path, self.files, self.template, self.overwrite) = (path, files, template, overwrite)
    }

    /// Makes the folder, and checks that the file can be written.
    /// - Throws: ``OutputError``.
    func prepare(_ journal: FilesJournal?) throws(OutputError) {
        try OutputTemplate.makeFolder(of: path)
        try AtomicFile.check(path: path, overwrite: mayReplace(journal))
    }

    /// Writes the table of the files that have catalogues, unless an earlier run wrote the same.
    ///
    /// Its name is recorded first: if the process is killed in between, the next run may replace it.
    /// - Returns: the number of its rows; nil if the file is as an earlier run wrote it, or no file has a catalogue.
    /// - Throws: ``OutputError``, ``ImageError`` if a catalogue cannot be read, ``JournalError``, `CancellationError`.
    func write(_ report: JobReport, _ journal: FilesJournal?) async throws -> Int? {
        if known(by: journal)?.isUnchanged == true, report.settledBefore == files.count { return nil }
        let outcomes = report.outcomes
        let parts = files.filter { outcomes[$0.name]?.hasCatalogue == true }.map { file in
            MergedCatalogue.Part(image: file.path, path: template.name(file: file.path))
        }
        if parts.isEmpty { return nil }
        let table = try MergedCatalogue(parts, history: files.flatMap { outcomes[$0.name]?.failures ?? [] })
        let output = try CatalogueOutput(path: path, overwrite: mayReplace(journal))
        try output.prepare()
        try await journal?.write(merged: .init(path: ScanCommand.absolute(path)))
        try output.write(table)
        try await journal?.write(merged: .init(written: ScanCommand.absolute(path)))
        return table.rowCount
    }

    private func mayReplace(_ journal: FilesJournal?) -> Bool { overwrite || known(by: journal)?.isReplaceable == true }

    /// The record of the table by this or an earlier run; nil if the record is that of another file.
    private func known(by journal: FilesJournal?) -> JournalledFile.Catalogue? {
        journal?.merged.flatMap { $0.path == ScanCommand.absolute(path) ? $0 : nil }
    }
}
