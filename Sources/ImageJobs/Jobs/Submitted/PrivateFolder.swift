package import CommandLineKit
import Foundation
package import ScanBasics

/// Private folders of this user below folders in which others can write.
package enum PrivateFolder {
    /// Opens the folder `names` below `folder`. It and its parents below `folder` must belong to this user, and other
    /// users must not be able to enter them.
    /// - Parameters:
    ///   - names: components of the path.
    ///   - folder: folder in which others can write.
    ///   - isMade: whether missing folders are created.
    /// - Returns: The last folder.
    /// - Throws: `CommandError` if there is none, or another user created or could change a folder.
    package static func open(_ names: [String], below folder: String, isMade: Bool) throws(CommandError)
        -> OpenDescriptor
    {
        var path = folder
        var current = OpenDescriptor(Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard current.number >= 0 else { throw CommandError(.output, folder, errno: errno) }
        for name in names {
            path += "/" + name
            if isMade, mkdirat(current.number, name, 0o700) != 0, errno != EEXIST {
                throw CommandError(.output, path, errno: errno)
            }
            let next = openat(current.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            // The name is that of a link or of a file.
            if next < 0, errno == ELOOP || errno == ENOTDIR { throw foreign(path, "is no folder") }
            guard next >= 0 else { throw CommandError(.output, path, errno: errno) }
            current = OpenDescriptor(next)
            try check(current, path)
        }
        return current
    }

    private static func check(_ folder: OpenDescriptor, _ path: String) throws(CommandError) {
        guard let status = folder.status else { throw CommandError(.output, path, errno: errno) }
        guard status.owner == geteuid() else { throw foreign(path, "belongs to another user") }
        guard status.permissions & 0o022 == 0 else { throw foreign(path, "others can write to it") }
        // Earlier versions created it so that others could read it.
        if status.permissions & 0o077 != 0 { fchmod(folder.number, 0o700) }
        guard folder.isPrivate else { throw foreign(path, "others can read it") }
    }

    private static func foreign(_ path: String, _ cause: String) -> CommandError {
        CommandError(.failure, "\(path): \(cause), so that no job is kept there; remove it, or name another folder")
    }

    /// Returns the bytes of a regular file in such a folder, or nil if there is none or it has more than `limit` bytes.
    package static func bytes(_ path: String, limit: Int) -> [UInt8]? {
        let file = OpenDescriptor(Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        guard file.number >= 0, let status = file.status, status.kind == .regular,
            status.size <= limit
        else { return nil }
        return try? file.bytes(at: 0, count: Int(status.size))
    }

    /// Returns the last bytes of such a file.
    static func tail(_ path: String, limit: Int) -> [UInt8] {
        let file = OpenDescriptor(Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        guard file.number >= 0, let status = file.status, status.kind == .regular else { return [] }
        return (try? file.bytes(at: max(0, status.size - Int64(limit)), count: limit)) ?? []
    }
}
