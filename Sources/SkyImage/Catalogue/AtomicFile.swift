import Foundation

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a file beside the target, under an unpredictable name. ``finish()`` makes them durable and
/// ``commit()`` gives them the final name; an object that is deallocated without it removes the file.
public final class AtomicFile {
    /// The final name, with symbolic links followed.
    private let path: String
    private let temporary: String
    private let overwrite: Bool
    /// Negative once all bytes are durable.
    private var descriptor: Int32
    private var hasTemporary = false

    /// Bytes gathered before they are written.
    private static let bufferSize = 1 << 20
    private var buffer: [UInt8] = []

    /// Starts the file beside `path`.
    /// - Throws: ``OutputError`` with `exists`, if the file exists and may not be overwritten, or `unwritable`.
    public init(path: String, overwrite: Bool) throws(OutputError) {
        self.path = try Self.resolve(path, overwrite: overwrite)
        self.overwrite = overwrite
        var generator = SystemRandomNumberGenerator()
        let random = String(generator.next(), radix: 16)
        temporary = URL(fileURLWithPath: self.path).deletingLastPathComponent().path + "/.skyfarm-\(random).part"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        hasTemporary = true
        keepMode()
    }

    private func keepMode() {
        var old = stat()
        if stat(path, &old) == 0 { fchmod(descriptor, old.st_mode & 0o777) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if hasTemporary { unlink(temporary) }
    }

    /// Checks that a file can be written to `path` now, by creating its temporary file.
    /// - Throws: ``OutputError``.
    public static func check(path: String, overwrite: Bool) throws(OutputError) {
        _ = try AtomicFile(path: path, overwrite: overwrite)
    }

    /// Appends bytes.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    public func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Lets a library write the file instead.
    /// - Returns: the name under which the library must create it; there is no such file yet.
    func lend() -> String {
        close(descriptor)
        descriptor = -1
        unlink(temporary)
        return temporary
    }

    /// The library has written and closed the file.
    /// - Throws: ``OutputError``.
    func takeBack() throws(OutputError) {
        descriptor = open(temporary, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        keepMode()
    }

    /// Makes the bytes durable, still without the final name. Nothing may be written any more.
    /// - Throws: ``OutputError``.
    public func finish() throws(OutputError) {
        guard descriptor >= 0 else { return }
        try flush()
        guard fsync(descriptor) == 0 else { throw Self.failure(path, errno) }
        let result = close(descriptor)
        descriptor = -1
        guard result == 0 else { throw Self.failure(path, errno) }
    }

    /// Makes the bytes durable, if ``finish()`` has not, and gives them the final name.
    /// - Parameter syncsFolder: whether the name is durable, too, when this returns. Otherwise a loss of power in the next
    ///   seconds may leave the folder as it was, but no incomplete file.
    /// - Throws: ``OutputError``; the final name is then untouched.
    public func commit(syncsFolder: Bool = true) throws(OutputError) {
        try finish()
        defer {
            if hasTemporary { unlink(temporary) }
            hasTemporary = false
        }
        try giveName()
        hasTemporary = false
        guard syncsFolder else { return }
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // The file is complete under its name even on a file system that cannot sync folders.
        fsync(folder)
        close(folder)
    }

    private func flush() throws(OutputError) {
        let failure = buffer.withUnsafeBytes { writeAll($0, to: descriptor) }
        buffer.removeAll(keepingCapacity: true)
        if let failure { throw Self.failure(path, failure) }
    }

    private func giveName() throws(OutputError) {
        if !overwrite {
            // Unlike rename, link never replaces a file that appeared since the check. Some file systems lack it.
            if link(temporary, path) == 0 {
                unlink(temporary)
                return
            }
            if errno == EEXIST { throw Self.failure(path, EEXIST) }
        }
        guard rename(temporary, path) == 0 else { throw Self.failure(path, errno) }
    }

    private static func resolve(_ path: String, overwrite: Bool) throws(OutputError) -> String {
        var status = stat()
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw OutputError(.unwritable, "the output's name is empty or contains a zero byte; name a file")
        }
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(path, errno) }
            return path
        }
        guard let real = realpath(path, nil) else { throw failure(path, errno) }
        defer { free(real) }
        guard stat(real, &status) == 0 else { throw failure(path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw OutputError(.unwritable, "\(path): is a folder; name a file") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OutputError(.unwritable, "\(path): is no regular file; name another, or - for standard output")
        }
        guard overwrite else { throw failure(path, EEXIST) }
        return String(cString: real)
    }

    static func failure(_ path: String, _ code: Int32) -> OutputError {
        switch code {
        case EEXIST: OutputError(.exists, "\(path): exists already; name another file, or add --overwrite")
        case ENOSPC, EDQUOT, EFBIG:
            OutputError(.noSpace, "\(path): \(words(code)); free some room or write to another disk")
        case ENOENT, ENOTDIR: OutputError(.unwritable, "\(path): its folder does not exist; create it first")
        case EACCES, EPERM, EROFS:
            OutputError(.unwritable, "\(path): \(words(code)); write to a folder that this user may change")
        case ENAMETOOLONG, ELOOP: OutputError(.unwritable, "\(path): \(words(code)); choose another name")
        default:
            OutputError(code == EPIPE ? .brokenPipe : .failed, "\(path): \(words(code)); nothing was written")
        }
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}

/// Writes all bytes, and returns the error number if that fails.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return errno
        }
    }
    return nil
}
