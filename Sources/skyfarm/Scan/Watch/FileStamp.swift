import Foundation

/// Identifies the contents of a file, as far as its metadata do.
struct FileStamp: Hashable, Sendable {
    var inode: UInt64
    var size: Int64
    /// Time of the last change of its contents, in nanoseconds.
    var modified: Int64

    /// The stamp of the file at `path`; nil if there is no regular file, or it cannot be accessed.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if os(Linux)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        self.init(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    init(inode: UInt64, size: Int64, modified: Int64) {
        (self.inode, self.size, self.modified) = (inode, size, modified)
    }
}
