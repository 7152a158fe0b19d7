import CommandLineKit
import Console
import Foundation
import ScanBasics
import SkyFITS
package import SkyScan

/// The files that `--skip-existing` leaves out.
extension ScanJob {
    /// Whether all catalogues of a file exist and are those that a scan would write.
    /// - Throws: ``OutputError`` with `exists` if one is another and may not be replaced.
    func isCurrent(_ file: InputList.File, _ chosen: ChosenImages) async throws -> Bool {
        let names = results.outputs.catalogues.templates.map { $0.name(file: file.path) }
        let existing = names.filter { ReadableFiles.current.exists($0) }
        if existing.isEmpty { return false }
        var scans: [ExistingCatalogue.Scan] = []
        for image in chosen.images {
            let place = (chosen.known.firstIndex(of: image) ?? 0) + 1
            let reader = try await reader(image, of: file, chosen.survey, place: place)
            scans.append(
                .init(
                    image: reader.summary, parameters: try command.parameters(for: reader.summary, in: chosen.survey),
                    checksums: try await reader.checksums()))
        }
        let replaceable = Set(try await journal?.file(file.name)?.replaceable ?? [])
        for name in existing {
            // A file that is no FITS file is not the catalogue.
            if (try? ExistingCatalogue(path: name))?.holds(scans, software: Software.name) == true { continue }
            if options.overwrite || replaceable.contains(ScanCommand.absolute(name)) || ProcessFiles.isOwn(name) {
                return false
            }
            throw OutputError(
                .exists, "\(name): exists already, of other pixels or parameters; add --overwrite to replace it")
        }
        return existing.count == names.count
    }

    /// Leaves a file out whose catalogues are current.
    package func skip(_ file: InputList.File, _ stamps: [FileStamp]) async throws {
        let names = results.outputs.catalogues.templates.map { $0.name(file: file.path) }
        report.skip(file, outputs: names)
        events.display.handle(.fileEnded(file: file.name, outputs: names))
        try await journal?.write(
            JournalledFile(
                name: file.name, inputs: stamps,
                catalogues: names.map { .init(written: ScanCommand.absolute($0)) }, isComplete: true,
                report: try ReportedFile(file: file.name, outputs: names).coded()))
    }
}
