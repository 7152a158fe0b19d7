package import Foundation
package import ScanBasics

/// Access to the files that a command names: unrestricted or, for a job of another machine, confined to folders, so
/// that nothing outside of them is examined.
///
/// All code that reads text, lists folders or checks that a file exists on behalf of a job uses ``current``. Images are
/// read by libraries; `FileKind` checks them.
package struct ReadableFiles: Sendable {
    /// The allowed folders; nil if all files may be read.
    private let folders: ConfinedFolders?
    /// The folder of relative names; nil for the process's current folder.
    private let base: String?
    /// The message for a path outside the folders.
    private let refusal: String

    /// Confines access to `folders`. Relative names refer to `base`, or to the process's current folder.
    package init(below folders: ConfinedFolders?, base: String? = nil, refusal: String = Self.outside) {
        (self.folders, self.base, self.refusal) = (folders, base, refusal)
    }

    package static let outside = "leads out of the folders that this job may read"

    /// The access rules of the check that runs in this task, or else those of the process.
    package static var current: ReadableFiles { checked ?? ReadableFiles(below: ProcessFiles.readable) }

    /// Set while a process that is not confined checks the arguments of a job.
    @TaskLocal package static var checked: ReadableFiles?

    /// Rejects an image that this process may not read, such as one replaced by a link after its name was checked.
    /// - Throws: ``ImageError`` with `unreadable`.
    package static func check(_ path: String) throws(ImageError) {
        guard let folders = ProcessFiles.readable, let real = realPath(path) else { return }
        if folders.place(real) == nil {
            throw ImageError(.unreadable, "\(path): \(outside)")
        }
    }

    /// Returns the content of a file.
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

    /// Maximum size in bytes of a file that is read for a job.
    private static let sizeLimit = 256 << 20

    /// Returns the kind of file at a path, or nil if there is none. A process that is not confined follows links. A job
    /// gets `link`, or an error if a folder in the path is a link.
    /// - Throws: ``ImageError`` with `unreadable` if the path leads outside the folders.
    package func kind(of path: String) throws(ImageError) -> FileStatus.Kind? {
        try status(of: path)?.kind
    }

    /// The status of a file, as ``kind(of:)`` finds it.
    package func status(of path: String) throws(ImageError) -> FileStatus? {
        guard let place = try place(path) else { return FileStatus(path: path) }
        return try reading(path) { () throws(ConfinedPath.Refusal) in try place.look() }
    }

    /// Opens a file for reading.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func open(_ path: String) throws(ImageError) -> OpenDescriptor {
        guard let place = try place(path) else {
            let number = Foundation.open(path, O_RDONLY | O_CLOEXEC)
            if number >= 0 { return OpenDescriptor(number) }
            throw ImageError(.unreadable, "\(path): \(String(cString: strerror(errno)).lowercased())")
        }
        return try reading(path) { () throws(ConfinedPath.Refusal) in try place.open() }
    }

    /// Whether a readable file or folder exists at a path.
    package func exists(_ path: String) -> Bool { ((try? kind(of: path)) ?? nil) != nil }

    /// Returns the names in a folder; for a job, without those that begin with a dot.
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
            try ConfinedFolders.names(in: place.openFolder(), folder, "*", &search)
        }
        if search.isExhausted { throw ImageError(.unreadable, "\(folder): too many files to look at") }
        return names
    }

    /// Files that were found, in the order of the bytes of their paths.
    package struct Found: Equatable, Sendable {
        package var paths: [String]
        /// The folders of a tree; for a job those with files.
        package var folders: [String]
        /// Folders that would have to be searched but cannot be read.
        package var unreadable: [String]

        package init(paths: [String], folders: [String] = [], unreadable: [String] = []) {
            (self.paths, self.folders, self.unreadable) = (paths, folders, unreadable)
        }
    }

    /// Returns the paths that match a shell pattern; a component `**` stands for any number of folders.
    /// - Throws: ``ImageError`` with `unreadable` if the pattern leads outside the folders, or matches too many files.
    package func paths(matching pattern: String) throws(ImageError) -> Found {
        guard let folders, try place(pattern) != nil else {
            let found = ShellPattern.search(pattern)
            return Found(paths: found.paths, unreadable: found.unreadable)
        }
        var search = ConfinedSearch()
        let found = folders.paths(matching: absolute(pattern), &search)
        if search.isExhausted {
            throw ImageError(.unreadable, "\(pattern): too many files to look at; name fewer folders")
        }
        return Found(paths: found, unreadable: search.unreadable.sorted(by: FolderTree.precedes))
    }

    /// Returns the files below a folder at any depth, as ``FolderTree`` has them; for a job without those behind links.
    /// - Throws: ``ImageError`` with `unreadable` if the folder leads outside the folders, or has too many files.
    package func files(below folder: String) throws(ImageError) -> Found {
        guard let place = try place(folder) else {
            let tree = FolderTree(below: folder)
            return Found(paths: tree.files, folders: tree.folders, unreadable: tree.unreadable)
        }
        var search = ConfinedSearch()
        let start = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let files = try reading(folder) { () throws(ConfinedPath.Refusal) in
            ConfinedFolders.files(below: try place.openFolder(), start, &search)
        }
        if search.isExhausted {
            throw ImageError(.unreadable, "\(folder): too many files to look at; name fewer folders")
        }
        let folders = Set(files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } })
        return Found(
            paths: files,
            folders: folders.union([start]).subtracting(search.unreadable).sorted(by: FolderTree.precedes),
            unreadable: search.unreadable.sorted(by: FolderTree.precedes))
    }

    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return base.map { "\($0)/\(path)" } ?? AbsolutePath.of(path)
    }

    /// Returns the confined place of a path, or nil for a process that is not confined.
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
