import Foundation
import ScanBasics

/// The state of a file on this machine, by which it is noticed, without reading the file, that its bytes may have
/// changed.
public struct FileState: Codable, Hashable, Sendable {
    /// The file system and the file in it.
    package var device: UInt64
    package var number: UInt64
    /// Bytes.
    package var size: Int64
    /// When its bytes last changed, in nanoseconds since 1970. Programs can set it.
    package var modified: Int64
    /// When its bytes or attributes last changed, in nanoseconds since 1970. Only the system sets it.
    package var changed: Int64
    /// What else sets ``changed``: links to the file, its owner and permissions.
    var attributes: [UInt64]

    /// Its absolute path without symbolic links; nil if the path that led to the file does no longer.
    package var path: String?

    /// The state of the file at `path`; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status, path: path)
    }

    /// The state of the file that is open as `descriptor`, which was opened at `path`; nil if it cannot be found out.
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

    /// Whether the bytes may be others than those of `earlier`.
    ///
    /// A file that was renamed, linked, or has got other permissions has a new time of change as well. Without such a
    /// reason, somebody has written to it and has set its time of modification back, as `touch` and `cp -p` do.
    package func mayDiffer(from earlier: FileState) -> Bool {
        guard (device, number) == (earlier.device, earlier.number),
            (size, modified) == (earlier.size, earlier.modified)
        else { return true }
        return changed != earlier.changed && path == earlier.path && attributes == earlier.attributes
    }

    /// Whether this is no copy, on another machine, of the file that was in an earlier state.
    package func differsAsCopy(from earlier: FileState) -> Bool {
        (size, modified) != (earlier.size, earlier.modified)
    }
}

extension StoredImage {
    /// Checks that nobody has written to the file since before it was opened.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) { try requireUnchanged(openAs: nil) }

    fileprivate func requireUnchanged(openAs descriptor: Int32?) throws(ImageError) {
        guard let state else { return }
        // A network file system asks its server about a file that is opened.
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
    /// Checks that nobody has written to the open file since before it was opened as an image. What was put in its place
    /// does not matter.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) { try image.requireUnchanged(openAs: file.number) }
}
