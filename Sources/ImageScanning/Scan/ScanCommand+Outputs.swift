import CommandLineKit
import Foundation
package import ScanBasics
package import SkyCatalogue
import SkyFITS
package import SkyScan

extension ScanCommand.Options {
    /// An output, in the format of its ending unless another was asked for.
    /// - Throws: ``OutputError`` with `unknownFormat`.
    package func output(path: String, overwrite: Bool) throws(OutputError) -> CatalogueOutput {
        if let format = columns?.format { return CatalogueOutput(path: path, format: format, overwrite: overwrite) }
        return try CatalogueOutput(path: path, overwrite: overwrite)
    }
}

extension ScanCommand.Options {
    /// Files of a scan of one image beside the catalogues.
    var sidePaths: [String] { page.paths + checkImages.map(\.name) }
}

extension ScanCommand {
    /// The outputs, after a check that they can be written.
    func prepareOutputs() throws -> [CatalogueOutput] {
        if !options.dryRun {
            for path in options.sidePaths { try AtomicFile.check(path: path, overwrite: overwrites(path)) }
        }
        return try options.outputs.map { name in
            let output = try options.output(path: name, overwrite: overwrites(name))
            if !options.dryRun { try output.prepare() }
            return output
        }
    }

    /// Whether a file of this name may be replaced.
    func overwrites(_ name: String) -> Bool { options.overwrite || replaceable.contains(Self.absolute(name)) }

    /// The outputs that a run of this job has written before it was killed.
    package func written(by identity: JobIdentity) throws -> Set<String> {
        guard let journal = options.journal, !options.overwrite, existingOutput != nil else { return [] }
        return try JournalFolder(environment: journal.environment).replaceable(by: identity)
    }

    /// The first output that exists and may not be replaced.
    private var existingOutput: String? {
        (options.outputs + options.sidePaths).first { name in
            name != "-" && !overwrites(name) && ReadableFiles.current.exists(name)
        }
    }

    /// Records the outputs in the journal before the first of them gets its name.
    package func note(outputsIn journal: ScanJournal?) async throws {
        guard let journal else { return }
        // A file that the job did not write must not become replaceable.
        if let name = existingOutput {
            throw OutputError(.exists, "\(name): exists already; name another file, or add --overwrite")
        }
        let names = (options.outputs + options.sidePaths).filter { $0 != "-" }
        try await journal.write(outputs: names.map(Self.absolute))
    }

    /// Refuses an output that is the same file as an input or another output.
    func refuseClashes() throws {
        let detection = options.detection
        let inputs = [
            ("image", Self.file(of: options.image)), ("mask", detection.mask.flatMap(Self.file)),
            ("weight map", detection.weight.flatMap(Self.file)),
            ("weight map", options.detectionMap?.weight.flatMap(Self.file)), ("kernel", detection.kernel),
        ].compactMap { kind, path in path.map { (kind, Self.resolved($0)) } }
        var seen: [String: String] = [:]
        for output in options.outputs + options.sidePaths {
            let path = output == "-" ? output : Self.resolved(output)
            if let (kind, _) = inputs.first(where: { $0.1 == path }) {
                throw CommandError(.output, "\(output): is the \(kind) itself; name another file")
            }
            if let other = seen.updateValue(output, forKey: path) {
                throw UsageError("--output: \"\(other)\" and \"\(output)\" are the same file; name each output once")
            }
        }
    }

    private static func file(of image: String) -> String? { try? ImageLocation(image).path }

    /// The path with the symbolic links of its existing part resolved.
    private static func resolved(_ path: String) -> String {
        if let real = realPath(path) { return real }
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        return folder == url.path ? folder : resolved(folder) + "/" + url.lastPathComponent
    }
}
