package import Foundation

/// Type, owner, permissions, size and modification time of a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case regular, folder, link, other
    }

    package let kind: Kind
    /// User identifier of the owner.
    package let owner: UInt32
    package let permissions: UInt32
    /// In bytes.
    package let size: Int64
    /// Modification time in nanoseconds since 1970.
    package let modified: Int64

    /// Modification time.
    package var modificationDate: Date { Date(timeIntervalSince1970: Double(modified) / 1e9) }

    package init(_ status: stat) {
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

    /// Reads the status of the file at a path, following links; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

extension FileStatus {
    /// The modification time of a file in nanoseconds since 1970; see ``nanoseconds(_:)``.
    package static func modified(_ status: stat) -> Int64 { nanoseconds(modificationTime(status)) }

    /// The modification time of a file.
    package static func modificationTime(_ status: stat) -> timespec {
        #if canImport(Darwin)
            status.st_mtimespec
        #else
            status.st_mtim
        #endif
    }

    /// Converts a time to nanoseconds since 1970. A file may have a time that 64 bits cannot represent, such as the
    /// year 2400: the result is then the nearest representable one.
    package static func nanoseconds(_ time: timespec) -> Int64 {
        let (whole, isTooFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isJustTooFar) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooFar || isJustTooFar ? (time.tv_sec < 0 ? .min : .max) : sum
    }
}
