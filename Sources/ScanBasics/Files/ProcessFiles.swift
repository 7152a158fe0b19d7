import Foundation

/// A file written by this process.
package struct WrittenFile: Codable, Hashable, Sendable {
    /// Absolute path without symbolic links.
    package var path: String
    /// In bytes.
    package var size: Int64
    /// Modification time in nanoseconds since 1970.
    package var modified: Int64

    package init(path: String, size: Int64, modified: Int64) {
        (self.path, self.size, self.modified) = (path, size, modified)
    }

    package init(path: String, _ status: FileStatus) {
        self.init(path: path, size: status.size, modified: status.modified)
    }
}

/// Restricts where this process may write files and read images, and reports the files that it writes. The state is
/// global, so that it applies to every task and thread of a job; ``AtomicFile`` and `FileKind` obey it.
package enum ProcessFiles {
    private struct State {
        var written: ConfinedFolders?
        var read: ConfinedFolders?
        var record: (@Sendable (WrittenFile) -> Void)?
        var own: Set<WrittenFile>?
    }

    private static let state = Locked(State())

    /// Confines all writing of files and all reading of images from now on to these folders.
    package static func confine(writing: ConfinedFolders, reading: ConfinedFolders) {
        state.withLock { ($0.written, $0.read) = (writing, reading) }
    }

    /// Sets a closure that is called before each file gets its final name.
    package static func record(_ record: @escaping @Sendable (WrittenFile) -> Void) {
        state.withLock { $0.record = record }
    }

    /// Lets this process, a further run of a job, replace these files of earlier runs as long as nobody changes them. All
    /// others that exist are refused as without earlier runs.
    package static func own(_ files: Set<WrittenFile>) { state.withLock { $0.own = files } }

    /// Whether this process knows which files earlier runs of its job have written.
    package static var knowsOwn: Bool { state.withLock { $0.own != nil } }

    /// Whether an earlier run of this job has written the file at `path`, with the links followed, as it is now.
    package static func isOwn(_ path: String) -> Bool {
        // The journal of a confined process knows its outputs.
        guard state.withLock({ $0.own?.isEmpty == false && $0.written == nil }), let real = realPath(path),
            let status = FileStatus(path: real)
        else { return false }
        return state.withLock { $0.own?.contains(WrittenFile(path: real, status)) == true }
    }

    /// Returns the confined place of a file to write, or nil if this process may write anywhere.
    /// - Throws: ``OutputError`` if the process may not write there.
    package static func place(of path: String) throws(OutputError) -> ConfinedPath? {
        guard let folders = state.withLock(\.written) else { return nil }
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        guard let place = folders.place(absolute), !place.rest.isEmpty else {
            throw OutputError(.unwritable, "\(path): not below a folder in which this job may write; name another file")
        }
        return place
    }

    /// The folders from which this process may read; nil if it may read anywhere.
    package static var readable: ConfinedFolders? { state.withLock(\.read) }

    static func note(_ file: WrittenFile) { state.withLock(\.record)?(file) }
}
