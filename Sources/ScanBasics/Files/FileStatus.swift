import Foundation

/// What the system says of a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case regular, folder, link, other
    }

    package let kind: Kind
    /// The user whose file it is.
    package let owner: UInt32
    /// Its permissions.
    package let permissions: UInt32
    /// Bytes.
    package let size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    package let modified: Int64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        (owner, permissions) = (UInt32(status.st_uid), UInt32(status.st_mode & 0o7777))
        (size, modified) = (Int64(status.st_size), FileStatus.modified(status))
    }

    /// That of the file at a path, links followed; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

extension FileStatus {
    /// The time of the last change, in nanoseconds since 1970.
    package static func modified(_ status: stat) -> Int64 {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
