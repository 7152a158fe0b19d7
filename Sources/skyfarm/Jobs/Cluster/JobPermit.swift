import CommandLineKit
import Foundation
import SkyImage

/// Where jobs of other machines may read and write on this one, as its owner has allowed by `--accept-jobs` and
/// `--data`.
struct JobPermit: Codable, Equatable, Sendable {
    /// Folders that a job may read and write; absolute, without symbolic links.
    var folders: [String]
    /// Folders that it may read.
    var data: [String]

    /// Options that such a job cannot have: they open a port here, or send to programs of this machine's user.
    static let refused: Set = ["dashboard", "samp", "dry-run"]
    /// Options that name files, all of which are checked.
    static let paths: Set = [
        "output", "merged", "report", "preview", "segmentation", "check-image", "detect", "detect-weight", "at",
        "kernel", "mask", "weight", "columns", "nnw", "psf", "flag-image",
    ]

    init(folders: [String] = [], data: [String] = []) {
        self.folders = folders.compactMap { Self.real($0) }
        self.data = data.compactMap { Self.real($0) }
    }

    /// Checks a job, and finds the folder of jobs below which it writes.
    /// - Parameters:
    ///   - words: the arguments of `skyfarm scan`.
    ///   - folder: the working directory.
    ///   - readsLists: whether this process is in that directory, so that lists of names can be followed.
    /// - Returns: the folder of jobs.
    /// - Throws: `CommandError` or `UsageError` if the job names a file elsewhere, or has an option that it cannot have.
    func check(_ words: [String], in folder: String, readsLists: Bool) throws -> String {
        var isFolder: ObjCBool = false
        guard folder.hasPrefix("/"), FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else {
            throw CommandError(.input, "\(folder): no such folder here; submit the job in one that both machines have")
        }
        guard case .run(_, let arguments) = try CommandLineParser(Skyfarm.program).parse(["scan"] + words) else {
            throw UsageError("no job was sent")
        }
        if let name = arguments.flags.keys.sorted().first(where: Self.refused.contains) {
            throw UsageError("--\(name) cannot be used in a job of another machine")
        }
        let options = try ScanCommand.Options(arguments)
        if options.outputs.contains("-") { throw UsageError("the job needs a file for its catalogues (-o FILE)") }
        var inputs: [String] = []
        for word in options.inputs where word != "-" && (readsLists || !word.hasPrefix("@")) {
            if word.hasPrefix("@") { try read(Self.absolute(String(word.dropFirst()), folder), as: word) }
            let name = word.hasPrefix("@") ? "@" + Self.absolute(String(word.dropFirst()), folder) : word
            let listed = try InputList([name.hasPrefix("@") ? name : Self.absolute(name, folder)]) { "" }
            inputs += listed.files.map { Self.absolute($0.path, folder) }
        }
        for path in inputs { try read(path, as: path) }
        for name in Self.read(options, arguments, in: folder) {
            let path = Self.absolute((try? ImageLocation(name).path) ?? name, folder)
            try read(path, as: path)
        }
        var root: String?
        for name in Self.written(options) {
            let isBeside = name.hasPrefix("{dir}")
            let template = try OutputTemplate(isBeside ? name : Self.absolute(name, folder))
            for path in inputs.isEmpty ? ["image.fits"] : inputs {
                let folder = try write(template.name(file: path))
                root = root ?? folder
            }
        }
        guard let root else { throw UsageError("the job needs a file for its catalogues (-o FILE)") }
        return root
    }

    private static func read(
        _ options: ScanCommand.Options, _ arguments: Arguments, in folder: String
    ) -> [String] {
        let named = ["detect", "at", "kernel", "mask", "weight", "nnw", "flag-image"].flatMap {
            arguments.flags[$0]?.map(\.text) ?? []
        }
        // A list of columns is not the name of a file.
        let columns = options.columns?.source.map { [$0] } ?? []
        return named
            + columns.filter {
                $0.contains("/") || FileManager.default.fileExists(atPath: absolute($0, folder))
            }
    }

    /// Names, or templates of names, of what a scan writes.
    static func written(_ options: ScanCommand.Options) -> [String] {
        options.outputs + options.page.paths + options.checkImages.map(\.name)
            + [options.images.merged, options.page.folder].compactMap { $0 }
    }

    private func read(_ path: String, as name: String) throws(CommandError) {
        guard let real = Self.real(path), access(real, R_OK) == 0 else {
            throw CommandError(.input, "\(name): cannot be read here: \(String(cString: strerror(errno)).lowercased())")
        }
        guard (folders + data).contains(where: { Self.is(real, below: $0) }) else {
            throw CommandError(.input, "\(name): not below a folder of --accept-jobs or --data of this node")
        }
    }

    /// The folder of jobs below which the file is.
    private func write(_ path: String) throws(CommandError) -> String {
        // The deepest folder that exists decides; what is below it will be made.
        var folder = (path as NSString).deletingLastPathComponent
        while !FileManager.default.fileExists(atPath: folder), folder.count > 1 {
            folder = (folder as NSString).deletingLastPathComponent
        }
        let rest = path.dropFirst(folder.count).split(separator: "/")
        let target = FileManager.default.fileExists(atPath: path) ? path : folder
        guard !rest.contains(".."), let real = Self.real(target),
            let root = folders.first(where: { Self.is(real, below: $0) })
        else { throw CommandError(.output, "\(path): not below a folder of --accept-jobs of this node") }
        return root
    }

    /// Refuses inputs that are other files here than where the job was submitted.
    func compare(_ stamps: [InputStamp]) throws(CommandError) {
        for stamp in stamps.prefix(InputStamp.limit) {
            try read(stamp.path, as: stamp.path)
            if InputStamp(stamp.path) != stamp {
                throw CommandError(
                    .input, "\(stamp.path): another file here, by size or time of change, than where it was submitted")
            }
        }
    }

    static func absolute(_ name: String, _ folder: String) -> String {
        name.hasPrefix("/") ? name : folder + "/" + name
    }

    /// The path without symbolic links; nil if there is no such file.
    static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func `is`(_ path: String, below folder: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
    }
}
