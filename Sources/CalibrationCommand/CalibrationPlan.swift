import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyFITS

/// Where calibrated frames go.
struct CalibrationPlan {
    struct Output: Equatable {
        var path: String
        /// Whether images are stored in compressed tiles.
        var isCompressed: Bool
    }

    /// Of each frame, in the order of the frames.
    let outputs: [Output]
    private let overwrite: Bool
    private let report: ReportFile?

    /// The outputs of frames, which may be none of the frames, the masters and `others`.
    /// - Throws: `UsageError` if two frames would have one output, or a frame would be replaced; `CommandError` for a
    ///   frame on a node.
    init(_ files: [InputList.File], _ options: CalibrateCommand.Options, others: [String] = []) throws {
        (overwrite, report) = (options.overwrite, options.report)
        try CalibrationOptions.requireLocal(files, by: "calibrate")
        let isFolder =
            options.output.hasSuffix("/") || (try? ReadableFiles.current.kind(of: options.output)) == .folder
        let template = try OutputTemplate(options.output)
        var owners: [String: String] = [:]
        outputs = try files.map { file in
            var path = template.name(file: file.path)
            if isFolder, options.compresses || file.path.lowercased().hasSuffix(".fz") { path += ".fz" }
            if let other = owners.updateValue(file.name, forKey: path) {
                throw UsageError(
                    "--output: \(other) and \(file.name) would both be written to \(path); use a folder, as in -o "
                        + "folder/, or add {stem} or {dir} to the name")
            }
            if let real = realPath(path), real == realPath(file.path) {
                throw UsageError("--output: \(path) is the raw frame itself; name another folder")
            }
            return Output(path: path, isCompressed: options.compresses || path.hasSuffix(".fz"))
        }
        let inputs = files.map(\.path) + options.recipe.masterPaths + others
        try CalibrationOptions.check(outputs.map(\.path), replaceNone: inputs)
        try report?.check(outputs: outputs.map(\.path) + (options.next?.pages ?? []), inputs: inputs)
    }

    /// Makes the folders, and checks that the files can be written.
    /// - Throws: ``OutputError``.
    func prepare() throws {
        var folders: Set<String> = []
        for output in outputs {
            if !overwrite, ReadableFiles.current.exists(output.path), !ProcessFiles.isOwn(output.path) {
                throw OutputError(.exists, "\(output.path): exists already; name another folder, or add --overwrite")
            }
            guard folders.insert((output.path as NSString).deletingLastPathComponent).inserted else { continue }
            try OutputTemplate.makeFolder(of: output.path)
            try AtomicFile.check(path: output.path, overwrite: true)
        }
        try report?.prepare()
    }
}
