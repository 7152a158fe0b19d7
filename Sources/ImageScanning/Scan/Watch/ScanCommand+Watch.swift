package import CommandLineKit
import Foundation
import ScanBasics

/// A scan of what arrives in folders.
extension ScanCommand {
    /// Scans what the folders hold, and what arrives in them until a signal ends the scan.
    package func watch() async throws -> ExitCode {
        FreedMemory.useOneArena()
        if options.dryRun { throw UsageError("--watch does not end, so that --dry-run has nothing to print") }
        if options.images.merged != nil {
            throw UsageError("--watch does not end, so that --merged has no time to be written; scan the folder for it")
        }
        let isRecursive = options.images.isRecursive
        let watch = try FolderWatch(
            options.inputs, isRecursive: isRecursive, limit: .seconds(options.images.watchLimit))
        // Names that stand for those that will arrive.
        let samples = watch.folders.flatMap { folder in
            (["a.fits", "b.fits"] + (isRecursive ? ["night/a.fits"] : [])).map {
                InputList.File(path: "\(folder)/\($0)")
            }
        }
        let outputs = try OutputPlans(options, files: samples)
        if options.images.skipsExisting { try outputs.catalogues.requireFITS() }
        try refuseWatchedOutputs(samples, watch.folders, outputs.templates)
        try requireHub()
        let journal = try await openJournal(watch.folders.map { "\(Self.absolute($0))/" }, count: nil)
        try outputs.prepare(samples, checksCatalogues: false, checksOthers: false)
        let pages = try JobPages(self, [], outputs, watching: watch.folders, replaces: journal?.hasFiles == true)
        return try await scan(
            .folders(watch),
            .init(
                outputs: outputs, detections: try SharedDetections(options.detectionImage), journal: journal,
                report: JobReport(rows: options.rowName, isEndless: true), pages: pages))
    }

    /// A catalogue with an image's name in a watched folder would be scanned in its turn.
    private func refuseWatchedOutputs(
        _ samples: [InputList.File], _ folders: [String], _ outputs: [OutputTemplate]
    ) throws(UsageError) {
        let watched = Set(folders.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path })
        for (template, sample) in outputs.flatMap({ template in samples.map { (template, $0) } }) {
            let url = URL(fileURLWithPath: template.name(file: sample.path))
            let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().path
            let isWatched =
                watched.contains(folder)
                || options.images.isRecursive && watched.contains { folder.hasPrefix($0 == "/" ? $0 : $0 + "/") }
            if InputList.isImageName(url.lastPathComponent), isWatched {
                throw UsageError(
                    "--output: \(template.text) writes FITS files into a folder that is watched; choose another folder")
            }
        }
    }
}
