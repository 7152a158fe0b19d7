import Foundation

/// A file written by this process.
package struct WrittenFile: Codable, Equatable, Sendable {
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
