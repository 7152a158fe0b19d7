import Foundation

/// A file that this process has written.
package struct WrittenFile: Codable, Equatable, Sendable {
    /// Absolute, without symbolic links.
    package var path: String
    /// Bytes.
    package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64

    package init(path: String, size: Int64, modified: Int64) {
        (self.path, self.size, self.modified) = (path, size, modified)
    }

    package init(path: String, _ status: FileStatus) {
        self.init(path: path, size: status.size, modified: status.modified)
    }
}

/// Where this process may write files and read images, and who is told of those that it writes. For the whole process, so
/// that no task or thread of a job is left out; ``AtomicFile`` and ``FileKind`` obey it.
package enum ProcessFiles {
    private struct State {
        var written: ConfinedFolders?
        var read: ConfinedFolders?
        var record: (@Sendable (WrittenFile) -> Void)?
    }

    private static let lock = NSLock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private static var state = State()

    /// Confines all files that are written, and all images that are read, from now on to these folders.
    package static func confine(writing: ConfinedFolders, reading: ConfinedFolders) {
        lock.withLock { (state.written, state.read) = (writing, reading) }
    }

    /// Has `record` called before each file gets its name.
    package static func record(_ record: @escaping @Sendable (WrittenFile) -> Void) {
        lock.withLock { state.record = record }
    }

    /// The place of a file that is to be written; nil if this process may write anywhere.
    /// - Throws: ``OutputError`` if it may not write there.
    package static func place(of path: String) throws(OutputError) -> ConfinedPath? {
        guard let folders = lock.withLock({ state.written }) else { return nil }
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        guard let place = folders.place(absolute), !place.rest.isEmpty else {
            throw OutputError(.unwritable, "\(path): not below a folder in which this job may write; name another file")
        }
        return place
    }

    /// The folders below which this process may read; nil if it may read everywhere.
    package static var readable: ConfinedFolders? { lock.withLock { state.read } }

    static func note(_ file: WrittenFile) { lock.withLock { state.record }?(file) }
}
