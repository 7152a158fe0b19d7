package import Foundation
package import ScanBasics

/// How the files that a command names are found and read: by their names or, for a job of another machine, only below
/// folders, without a look at what is outside of them.
///
/// Whatever reads text, lists folders or asks whether a file exists on behalf of a job goes through ``current``. Images
/// are read by libraries; `FileKind` checks them.
package struct ReadableFiles: Sendable {
    /// Nil: everywhere.
    private let folders: ConfinedFolders?
    /// The folder of relative names; nil for that of the process.
    private let base: String?
    /// What is said of a path that is outside.
    private let refusal: String

    /// Files below `folders`; relative names are those of `base`, or of the folder of the process.
    package init(below folders: ConfinedFolders?, base: String? = nil, refusal: String = Self.outside) {
        (self.folders, self.base, self.refusal) = (folders, base, refusal)
    }

    package static let outside = "leads out of the folders that this job may read"

    /// Those of the check that runs in this task, or else of the process.
    package static var current: ReadableFiles { checked ?? ReadableFiles(below: ProcessFiles.readable) }

    /// Set while a process that is not confined itself checks the words of a job.
    @TaskLocal package static var checked: ReadableFiles?

    /// Refuses an image that this process may not read: one that was replaced by a link since its name was checked.
    /// - Throws: ``ImageError`` with `unreadable`.
    package static func check(_ path: String) throws(ImageError) {
        guard let folders = ProcessFiles.readable, let real = realPath(path) else { return }
        if folders.place(real) == nil {
            throw ImageError(.unreadable, "\(path): \(outside)")
        }
    }

    /// The bytes of a file.
    /// - Throws: ``ImageError`` with `unreadable` or `missing`.
    package func contents(of path: String) throws(ImageError) -> Data {
        guard let place = try place(path) else {
            if let data = FileManager.default.contents(atPath: path) { return data }
            throw ImageError(.unreadable, "\(path): cannot be read; check its name and permissions")
        }
        return try reading(path) { () throws(ConfinedPath.Refusal) in
            let file = try place.open()
            guard let status = file.status else { throw ConfinedPath.Refusal(path: path, errno: errno) }
            guard status.size <= Self.sizeLimit else { throw ConfinedPath.Refusal(path: path, errno: EFBIG) }
            return Data(try file.bytes(at: 0, count: Int(status.size)))
        }
    }

    /// Most bytes of a file that is read for a job.
    private static let sizeLimit = 256 << 20

    /// What is at a path; nil if there is nothing. A process that is not confined follows links; a job gets `link`, or a
    /// refusal if a folder on the way is one.
    /// - Throws: ``ImageError`` with `unreadable` if the path leads out of the folders.
    package func kind(of path: String) throws(ImageError) -> FileStatus.Kind? {
        guard let place = try place(path) else { return FileStatus(path: path)?.kind }
        return try reading(path) { () throws(ConfinedPath.Refusal) in try place.look()?.kind }
    }

    /// Whether there is something at a path that may be read.
    package func exists(_ path: String) -> Bool { ((try? kind(of: path)) ?? nil) != nil }

    /// The names in a folder; for a job those that begin with no dot.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func names(in folder: String) throws(ImageError) -> [String] {
        guard let place = try place(folder) else {
            do {
                return try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                throw ImageError(.unreadable, "\(folder): the folder cannot be read: \(error.localizedDescription)")
            }
        }
        var search = ConfinedSearch()
        let names = try reading(folder) { () throws(ConfinedPath.Refusal) in
            ConfinedFolders.names(in: try place.openFolder(), "*", &search)
        }
        if search.isExhausted { throw ImageError(.unreadable, "\(folder): too many files to look at") }
        return names
    }

    /// The paths that a pattern of the shell matches, in alphabetical order.
    /// - Throws: ``ImageError`` with `unreadable` if the pattern leads out of the folders, or names too many files.
    package func paths(matching pattern: String) throws(ImageError) -> [String] {
        guard let folders, try place(pattern) != nil else { return ShellPattern.paths(matching: pattern) }
        var search = ConfinedSearch()
        let found = folders.paths(matching: absolute(pattern), &search)
        if search.isExhausted {
            throw ImageError(.unreadable, "\(pattern): too many files to look at; name fewer folders")
        }
        return found
    }

    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return base.map { "\($0)/\(path)" } ?? AbsolutePath.of(path)
    }

    /// The place of a path; nil for a process that is not confined.
    private func place(_ path: String) throws(ImageError) -> ConfinedPath? {
        guard let folders else { return nil }
        guard let place = folders.place(absolute(path)) else { throw ImageError(.unreadable, "\(path): \(refusal)") }
        return place
    }

    private func reading<Value>(
        _ path: String, _ body: () throws(ConfinedPath.Refusal) -> Value
    ) throws(ImageError) -> Value {
        do throws(ConfinedPath.Refusal) {
            return try body()
        } catch {
            throw ImageError(.unreadable, "\(path): cannot be read here: \(error)")
        }
    }
}
