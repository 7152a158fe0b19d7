import Foundation
internal import ScanBasics

/// Files with a user's secrets. They are refused if others can read or replace them, and written atomically.
enum SecretFile {
    /// Largest size of a key file in bytes.
    static let limit = 1 << 16

    /// Returns the content of a file, or nil if it does not exist.
    /// - Throws: ``KeyError`` if others have access to the file, or if it belongs to another user, is not a regular
    ///   file or is too long.
    static func read(_ path: String) throws(KeyError) -> SecretText? {
        // O_NONBLOCK: opening a FIFO must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open \(path)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("examine \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeyError(.unusable, "\(path) is not a regular file: move it away")
        }
        let folder = try checkFolder(of: path)
        guard status.st_uid == geteuid() || geteuid() == 0 && status.st_uid == folder.st_uid else {
            throw KeyError(
                .foreign,
                "\(path) belongs to user \(status.st_uid), not to you (\(geteuid())): copy it or run as its owner")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw KeyError(
                .exposed,
                "others can use the cluster key: run 'chmod 600 \(path)', and 'skyfarm key new' if they may have done so"
            )
        }
        return try readAll(descriptor, path)
    }

    static func readAll(_ descriptor: Int32, _ path: String) throws(KeyError) -> SecretText {
        let text = SecretText(capacity: limit + 1)
        while text.count <= limit {
            let received = text.append { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if received < 0, errno == EINTR { continue }
            guard received >= 0 else { throw failure("read \(path)") }
            if received == 0 { return text }
        }
        throw KeyError(.malformed, "\(path) is too long to be a cluster key")
    }

    /// Writes a file atomically that only its owner can read.
    /// - Returns: false if the file exists and `replacing` is false.
    @discardableResult
    static func write(_ text: SecretText, to path: String, replacing: Bool) throws(KeyError) -> Bool {
        let folder = try checkFolder(of: path)
        var template = Array((path + ".XXXXXX").utf8CString)
        // mkstemp creates the file with mode 0600.
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure("write beside \(path)") }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var isPlaced = false
        defer {
            close(descriptor)
            if !isPlaced { unlink(temporary) }
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if geteuid() == 0 {
            guard fchown(descriptor, folder.st_uid, folder.st_gid) == 0 else {
                throw failure("change the owner of \(path)")
            }
        }
        try writeAll(text, descriptor, path)
        guard fsync(descriptor) == 0 else { throw failure("write \(path)") }
        if replacing {
            guard rename(temporary, path) == 0 else { throw failure("write \(path)") }
            isPlaced = true
            return true
        }
        // Unlike rename, link fails if the name exists.
        if link(temporary, path) == 0 { return true }
        guard errno == EEXIST else { throw failure("write \(path)") }
        return false
    }

    private static func writeAll(_ text: SecretText, _ descriptor: Int32, _ path: String) throws(KeyError) {
        var count = 0
        while count < text.count {
            let written = text.withBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
            }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else { throw failure("write \(path)") }
            count += written
        }
    }

    static func remove(_ path: String) throws(KeyError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove \(path)") }
    }

    /// Creates the folder of `path` and its missing parents with mode 0700.
    static func makeFolder(of path: String) throws(KeyError) {
        let folder = AbsolutePath.folder(of: path)
        guard !folder.isEmpty, folder != "/", mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT else { throw failure("make the folder \(folder)") }
        try makeFolder(of: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure("make the folder \(folder)") }
    }

    /// Refuses a folder in which another user can replace files, and returns the folder's status. Root may act for the
    /// folder's owner.
    private static func checkFolder(of path: String) throws(KeyError) -> stat {
        let folder = AbsolutePath.folder(of: path)
        var status = stat()
        guard stat(folder.isEmpty ? "." : folder, &status) == 0 else { throw failure("examine the folder \(folder)") }
        guard status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0 else {
            throw KeyError(.foreign, "the folder \(folder) belongs to user \(status.st_uid), not to you (\(geteuid()))")
        }
        // In a sticky folder, such as /tmp, users cannot replace each other's files.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw KeyError(.exposed, "others can replace the cluster key: run 'chmod go-w \(folder)'")
        }
        return status
    }

    private static func failure(_ action: String) -> KeyError {
        KeyError(.unusable, "cannot \(action): \(String(cString: strerror(errno)))")
    }
}
