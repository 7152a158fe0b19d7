import Foundation
import ScanBasics

/// The state of a file on this machine, used to detect without reading the file that its content may have changed.
public struct FileState: Codable, Hashable, Sendable {
    /// Identifiers of the file system and of the file in it.
    package var device: UInt64
    package var number: UInt64
    /// Size in bytes.
    package var size: Int64
    /// Modification time in nanoseconds since 1970. Programs can set it.
    package var modified: Int64
    /// Time of the last change of content or attributes (ctime), in nanoseconds since 1970. Only the system sets it.
    package var changed: Int64
    /// The other attributes that change ``changed``: number of links, owner and permissions.
    var attributes: [UInt64]

    /// Absolute path without symbolic links; nil if the path no longer leads to the file.
    package var path: String?

    /// Reads the state of the file at `path`; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status, path: path)
    }

    /// Reads the state of the file that was opened at `path` as `descriptor`; nil if that fails.
    init?(descriptor: Int32, path: String) {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
        self.init(status, path: path)
    }

    private init(_ status: stat, path: String) {
        #if canImport(Darwin)
            let time = status.st_ctimespec
        #else
            let time = status.st_ctim
        #endif
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        (size, modified) = (Int64(status.st_size), FileStatus.modified(status))
        changed = FileStatus.nanoseconds(time)
        attributes = [
            UInt64(truncatingIfNeeded: status.st_nlink), UInt64(status.st_mode), UInt64(status.st_uid),
            UInt64(status.st_gid),
        ]
        var named = stat()
        let isNamed = stat(path, &named) == 0 && named.st_ino == status.st_ino && named.st_dev == status.st_dev
        self.path = isNamed ? realPath(path) : nil
    }

    /// Whether the content may differ from that of the `earlier` state.
    ///
    /// Renaming, linking or a change of permissions also updates the ctime. If the ctime changed without such a reason,
    /// a program wrote to the file and then reset its modification time, as `touch` and `cp -p` do.
    package func mayDiffer(from earlier: FileState) -> Bool {
        guard (device, number) == (earlier.device, earlier.number),
            (size, modified) == (earlier.size, earlier.modified)
        else { return true }
        return changed != earlier.changed && path == earlier.path && attributes == earlier.attributes
    }

    /// Whether this file, on another machine, is not a copy of the file in the earlier state.
    package func differsAsCopy(from earlier: FileState) -> Bool {
        (size, modified) != (earlier.size, earlier.modified)
    }
}

extension StoredImage {
    /// Checks that the file has not been modified since before it was opened.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) { try requireUnchanged(openAs: nil) }

    fileprivate func requireUnchanged(openAs descriptor: Int32?) throws(ImageError) {
        guard let state else { return }
        // Opening the file makes a network file system query its server.
        let opened = open(location.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { if opened >= 0 { close(opened) } }
        guard let now = FileState(descriptor: descriptor ?? opened, path: location.path), !now.mayDiffer(from: state)
        else {
            throw ImageError(
                .changed, "\(location): was changed while it was scanned; scan it again when it is complete")
        }
    }
}

extension StoredBytes {
    /// Checks that the open file has not been modified since before it was opened as an image. It does not matter
    /// whether another file has taken its place.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) { try image.requireUnchanged(openAs: file.number) }
}
