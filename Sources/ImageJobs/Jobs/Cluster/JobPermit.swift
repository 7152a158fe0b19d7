import CommandLineKit
import Foundation
import ImageScanning
import MapCommand
import ScanBasics
import SkyFITS
import SkyScan

/// The folders in which jobs of other machines may read and write, as allowed by the owner of this machine with
/// `--accept-jobs` and `--data`. Each path of a job is checked against it, and becomes a ``ConfinedPath`` or is
/// refused.
package struct JobPermit: Codable, Equatable, Sendable {
    /// Absolute paths of folders that a job may read and write, as named by their owner.
    package var folders: [String]
    /// Absolute paths of folders that a job may only read.
    package var data: [String]

    /// Options that such a job must not have: they open a port on this machine, or send to programs of its user.
    package static let refused: Set = ["dashboard", "samp", "dry-run"]

    /// Options that a run of a program must not have besides: with them it would run any program here.
    static let refusedOfMap: Set = ["local-program"]

    /// Environment variable by which a node passes the permit to the process of a job. The file of the job is not used,
    /// since another node may have written it.
    package static let variable = "SKYFARM_JOB_PERMIT"

    /// Result of checking a job.
    package struct Finding: Equatable, Sendable {
        /// The folder of `--accept-jobs` below which the job writes, without symbolic links.
        package var store: String
        /// Working directory of the job.
        package var folder: String
    }

    package init(folders: [String] = [], data: [String] = []) {
        self.folders = folders.map(AbsolutePath.of)
        self.data = data.map(AbsolutePath.of)
    }

    /// Checks a job, and finds the folder of `--accept-jobs` below which it writes.
    ///
    /// All paths outside of the folders get the same error, whether or not they exist.
    /// - Parameters:
    ///   - words: arguments of the command.
    ///   - verb: the command; nil for `skyfarm scan`.
    ///   - folder: folder in which the job was submitted.
    ///   - isRunning: whether this process is in that folder and runs the job, so that names from lists and patterns
    ///     can be resolved.
    /// - Returns: The folder below which the job writes, and its working directory.
    /// - Throws: `CommandError` or `UsageError` if the job names a file elsewhere, or has a refused option.
    package func check(
        _ words: [String], of verb: JobVerb? = nil, in folder: String, isRunning: Bool
    ) throws -> Finding {
        try Self.check(verb ?? .scan)
        let places = try Places(self)
        // The parsers of names may look for files of these names.
        return try ReadableFiles.$checked.withValue(places.files(relativeTo: folder)) {
            let root =
                verb == .map
                ? try checkMap(words, in: folder, places)
                : try check(words, in: folder, isRunning: isRunning, places)
            return Finding(store: root, folder: try places.runFolder(folder) ?? root)
        }
    }

    /// Refuses commands of which it is not known here which files they use.
    /// - Throws: `UsageError`.
    static func check(_ verb: JobVerb) throws(UsageError) {
        if verb == .scan || verb == .map { return }
        throw UsageError(
            "submit: --on takes scan and map; submit \(verb.rawValue) on the machine whose node runs it")
    }

    /// Checks a run of a program. What lists and patterns name is checked when the confined process reads it.
    /// - Returns: the folder of `--accept-jobs` below which it writes.
    private func checkMap(_ words: [String], in folder: String, _ places: Places) throws -> String {
        let arguments = try MapCommand.arguments(words)
        let refused = Self.refused.union(Self.refusedOfMap)
        for option in MapCommand.spec.options {
            let values = arguments.flags[option.name] ?? []
            let isRefused = refused.contains(option.name)
            if !values.isEmpty, isRefused || option.files?.mode == .writes {
                throw UsageError("--\(option.name) cannot be used in a job of another machine")
            }
            guard let files = option.files else { continue }
            for name in values.flatMap({ files.names($0.text) }) { try places.read(name, in: folder) }
        }
        let options = try MapCommand.Options(arguments)
        for word in options.inputs { _ = try places.check(input: word, in: folder) }
        guard let result = options.output.folder else {
            throw UsageError("the job needs a folder for its results (-o FOLDER/)")
        }
        return try places.writeFile(JobPermit.absolute(result + "result", folder))
    }

    /// Checks a scan.
    /// - Returns: the folder of `--accept-jobs` below which it writes.
    private func check(
        _ words: [String], in folder: String, isRunning: Bool, _ places: Places
    ) throws -> String {
        let arguments = try ScanCommand.arguments(words)
        if let name = arguments.flags.keys.sorted().first(where: Self.refused.contains) {
            throw UsageError("--\(name) cannot be used in a job of another machine")
        }
        let isRecursive = arguments.flags["recursive"] != nil
        let inputs = try places.inputs(
            arguments.positionals, isRecursive: isRecursive, in: folder, isRunning: isRunning)
        var root: String?
        // The table of options states which of them name files, so that no option can be forgotten here.
        for option in ScanCommand.spec.options {
            guard let files = option.files else { continue }
            for name in (arguments.flags[option.name] ?? []).flatMap({ files.names($0.text) }) {
                switch files.mode {
                case .reads: try places.read((try? ImageLocation(name).path) ?? name, in: folder)
                case .writes:
                    let store = try places.write(name, for: inputs, in: folder)
                    root = root ?? store
                }
            }
        }
        // Parsed after all paths are checked, since parsing looks at some of the files.
        let options = try ScanCommand.Options(arguments)
        guard let root, !options.outputs.contains("-") else {
            throw UsageError("the job needs a file for its catalogues (-o FILE)")
        }
        return root
    }

    /// Throws an error if an input differs from the file at the place of submission.
    package func compare(_ stamps: [InputStamp]) throws {
        let places = try Places(self)
        for stamp in stamps.prefix(InputStamp.limit) {
            let status = try places.read(stamp.path, in: "/")
            if InputStamp(stamp.path, status) != stamp {
                throw CommandError(
                    .input, "\(stamp.path): another file here, by size or time of change, than where it was submitted")
            }
        }
    }

    /// Opens the folders in which jobs may write.
    /// - Throws: `CommandError` if one of them is missing.
    func confinedFolders() throws(CommandError) -> ConfinedFolders { try Self.opened(folders, "--accept-jobs") }

    fileprivate static func opened(_ folders: [String], _ option: String) throws(CommandError) -> ConfinedFolders {
        do throws(ConfinedPath.Refusal) {
            return try ConfinedFolders(folders)
        } catch {
            throw CommandError(.input, "\(option) \(error.path): \(error)")
        }
    }

    package static func absolute(_ name: String, _ folder: String) -> String {
        name.hasPrefix("/") ? name : folder + "/" + name
    }
}

/// The opened folders, against which the paths of a job are checked.
private struct Places {
    private let written: ConfinedFolders
    private let readable: ConfinedFolders

    init(_ permit: JobPermit) throws(CommandError) {
        written = try permit.confinedFolders()
        readable = try JobPermit.opened(permit.folders + permit.data, "--accept-jobs, --data")
    }

    /// Returns the input files, or representative names as long as the files cannot be determined.
    func inputs(
        _ words: [String], isRecursive: Bool, in folder: String, isRunning: Bool
    ) throws -> [String] {
        var inputs: [String] = []
        for word in words {
            let (path, isList, isPattern) = try check(input: word, in: folder)
            if isPattern, !isRunning {
                inputs.append((path as NSString).deletingLastPathComponent + "/image.fits")
                continue
            }
            guard isRunning || !isList else { continue }
            let list = try InputList([isList ? "@" + path : path], isRecursive: isRecursive, standardInput: { "" })
            for file in list.files {
                let path = JobPermit.absolute(file.path, folder)
                try read(path, in: folder)
                inputs.append(path)
            }
        }
        return inputs.isEmpty ? [JobPermit.absolute("image.fits", folder)] : inputs
    }

    /// Checks the word for an input: a file, a folder, a pattern or a list.
    /// - Returns: its absolute path, and whether it is that of a list, or a pattern.
    func check(input word: String, in folder: String) throws -> (path: String, isList: Bool, isPattern: Bool) {
        if word == "-" { throw UsageError("a list on standard input is not kept; use @FILE") }
        let isList = word.hasPrefix("@")
        let path = JobPermit.absolute(isList ? String(word.dropFirst()) : word, folder)
        if isList {
            try read(path, in: folder)
        } else if try isPattern(path) {
            return (path, false, true)
        } else {
            try read(try ImageLocation(path).path, in: folder)
        }
        return (path, isList, false)
    }

    /// Returns whether a path below the folders is a pattern for several files.
    private func isPattern(_ path: String) throws -> Bool {
        let location = try ImageLocation(path).path
        guard ShellPattern.isPattern(location) else { return false }
        guard let place = readable.place(location) else { throw outside(location) }
        do throws(ConfinedPath.Refusal) {
            // A file may have such a name. A path through a link is refused rather than treated as a pattern.
            return try place.look() == nil
        } catch {
            throw CommandError(.input, "\(location): cannot be read here: \(error)")
        }
    }

    /// Checks that a file or a folder can be read.
    /// - Returns: The status of the file.
    @discardableResult func read(_ name: String, in folder: String) throws(CommandError) -> FileStatus {
        let path = JobPermit.absolute(name, folder)
        guard let place = readable.place(path) else { throw outside(path) }
        do throws(ConfinedPath.Refusal) {
            let isFolder = try place.look()?.kind == .folder
            let file = isFolder ? try place.openFolder() : try place.open()
            guard let status = file.status else { throw ConfinedPath.Refusal(path: path, errno: errno) }
            return status
        } catch {
            throw CommandError(.input, "\(path): cannot be read here: \(error)")
        }
    }

    private static let outside = "not below a folder of --accept-jobs or --data of this node"

    private func outside(_ path: String) -> CommandError { CommandError(.input, "\(path): \(Self.outside)") }

    /// Returns the files that the job may read; names are relative to `folder`.
    func files(relativeTo folder: String) -> ReadableFiles {
        ReadableFiles(below: readable, base: folder, refusal: Self.outside)
    }

    /// Checks the files to which a name or a template expands.
    /// - Returns: The folder of `--accept-jobs` below which they are.
    func write(_ name: String, for inputs: [String], in folder: String) throws -> String {
        if name == "-" { throw UsageError("the job needs a file for its catalogues (-o FILE)") }
        let isBeside = name.hasPrefix("{dir}")
        // Checked before the template is parsed, since parsing tests whether the name is that of a folder.
        let path = JobPermit.absolute(name, folder)
        guard isBeside || written.place(path) != nil else {
            throw CommandError(.output, "\(path): not below a folder of --accept-jobs of this node")
        }
        let template = try OutputTemplate(isBeside ? name : path)
        var root: String?
        for path in inputs {
            let store = try writeFile(template.name(file: path))
            root = root ?? store
        }
        guard let root else { throw UsageError("the job needs a file for its catalogues (-o FILE)") }
        return root
    }

    /// Checks a file that the job may write.
    /// - Returns: The folder of `--accept-jobs` below which it is.
    func writeFile(_ path: String) throws(CommandError) -> String {
        guard let place = written.place(path), !place.rest.isEmpty else {
            throw CommandError(.output, "\(path): not below a folder of --accept-jobs of this node")
        }
        do throws(ConfinedPath.Refusal) {
            // Missing folders will be created.
            let kind = try place.look()?.kind
            guard kind == nil || kind == .regular || kind == .folder else {
                throw ConfinedPath.Refusal(path: path, errno: EACCES)
            }
        } catch {
            throw CommandError(
                .output, "\(path): not below a folder of --accept-jobs of this node without links: \(error)")
        }
        return place.root
    }

    /// Returns the folder of the submission if a job may read there, or nil otherwise.
    func runFolder(_ folder: String) throws(CommandError) -> String? {
        guard let place = readable.place(folder) else { return nil }
        do throws(ConfinedPath.Refusal) {
            _ = try place.openFolder()
            return place.path
        } catch {
            throw CommandError(
                .input, "\(folder): no such folder here: submit the job in one that both machines have: \(error)")
        }
    }
}
