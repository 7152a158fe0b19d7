internal import CSystem
import Foundation

/// A file that appears under its name only when it is complete.
///
/// The bytes go to an unnamed file in the target's folder, so nothing is left behind if the process is killed. On file
/// systems without unnamed files, the temporary file has an unpredictable name and is locked; the next process that
/// needs such a name in the folder removes files that are no longer locked. ``finish()`` makes the bytes durable and
/// `commit()` gives them the final name. An object that is deallocated without a commit leaves no file.
///
/// In a confined process (`ProcessFiles`), all operations are relative to the opened folder, even if it is renamed.
public final class AtomicFile {
    /// The final name, with symbolic links followed.
    private let path: String
    /// The name shown in error messages.
    private let shownPath: String
    /// The target's folder in a confined process; `path` leads through it while it is open.
    private let folder: OpenDescriptor?
    /// A private folder in which a library writes the file.
    private var lentFolder: OpenDescriptor?
    /// Size and modification time of the complete file.
    private var status: FileStatus?
    private let temporary: String
    private let overwrite: Bool
    /// Whether a file of the final name may be replaced: any one, or one of an earlier run of this job.
    private var replaces: Bool { overwrite || ProcessFiles.isOwn(shownPath) }
    /// Negative while a library writes to a file of its own.
    private var descriptor: Int32
    private var hasTemporary = false
    private var isFinished = false

    /// Size in bytes at which the buffer is written.
    private static let bufferSize = 1 << 20
    private var buffer: [UInt8] = []

    /// Creates the temporary file beside `path`.
    /// - Throws: ``OutputError`` with `exists`, if the file exists and may not be overwritten, or `unwritable`.
    public convenience init(path: String, overwrite: Bool) throws(OutputError) {
        try self.init(path: path, at: try ProcessFiles.place(of: path), overwrite: overwrite)
    }

    /// Creates the temporary file beside a confined place, or beside `path` if `place` is nil. Errors name `path`. With
    /// `hasName`, the file gets a temporary name even where unnamed files are possible.
    package init(path: String, at place: ConfinedPath?, overwrite: Bool, hasName: Bool = false) throws(OutputError) {
        if let place {
            let folder = try Self.openParent(of: place, path)
            self.path = try Self.resolve(
                "\(folder.folderName)/\(place.lastName)", as: path, overwrite, followsLinks: false)
            (self.folder, shownPath) = (folder, place.path)
        } else {
            self.path = try Self.resolve(path, as: path, overwrite, followsLinks: true)
            (folder, shownPath) = (nil, self.path)
        }
        self.overwrite = overwrite
        var generator = SystemRandomNumberGenerator()
        let random = String(generator.next(), radix: 16)
        temporary = Self.folder(of: self.path) + "/.skyfarm-\(random).part"
        descriptor = hasName ? -1 : skyfarm_open_unnamed(Self.folder(of: self.path) + "/")
        if descriptor < 0 {
            LeftFiles.removeOnce(in: Self.folder(of: self.path) + "/")
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            hasTemporary = true
            LeftFiles.lock(descriptor)
        }
        keepMode()
    }

    private func keepMode() {
        var old = stat()
        if stat(path, &old) == 0 { fchmod(descriptor, old.st_mode & 0o777) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if hasTemporary { removeTemporary() }
    }

    /// The temporary name of the bytes.
    private var source: String { lentFolder.map { "\($0.folderName)/\(Self.lentName)" } ?? temporary }

    private func removeTemporary() {
        unlink(source)
        if lentFolder != nil { rmdir(temporary) }
        hasTemporary = false
    }

    private static func openParent(of place: ConfinedPath, _ path: String) throws(OutputError) -> OpenDescriptor {
        do throws(ConfinedPath.Refusal) {
            return try place.openParent()
        } catch {
            throw failure(path, error.errno)
        }
    }

    private static func folder(of path: String) -> String {
        let folder = AbsolutePath.folder(of: path)
        return folder.isEmpty ? "." : folder == "/" ? "" : folder
    }

    /// Creates the folder of a file, unless it exists.
    /// - Throws: ``OutputError``.
    package static func makeFolder(of path: String) throws(OutputError) {
        if let place = try ProcessFiles.place(of: path) {
            do throws(ConfinedPath.Refusal) {
                _ = try place.openParent(isMade: true)
            } catch {
                throw OutputError(.unwritable, "\(path): its folder cannot be made: \(error)")
            }
            return
        }
        let folder = AbsolutePath.folder(of: path)
        if folder.isEmpty { return }
        let failure = make(folder)
        guard failure == 0 else {
            let cause = String(cString: strerror(failure)).lowercased()
            throw OutputError(
                failure == ENOSPC || failure == EDQUOT ? .noSpace : .unwritable,
                "\(folder): the folder cannot be made: \(cause)")
        }
    }

    /// Makes a folder, with the missing ones above it.
    /// - Returns: The number of the error, or 0.
    private static func make(_ folder: String) -> Int32 {
        if mkdir(folder, 0o777) == 0 { return 0 }
        let failure = errno
        var status = stat()
        // Some systems report another error than EEXIST for a folder that exists: macOS for the root.
        if stat(folder, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR }
        if failure == EEXIST { return ENOTDIR }
        let above = AbsolutePath.folder(of: folder)
        guard failure == ENOENT, !above.isEmpty, above != folder else { return failure }
        let cause = make(above)
        if cause != 0 { return cause }
        return mkdir(folder, 0o777) == 0 || errno == EEXIST ? 0 : errno
    }

    /// Checks that a file can be written to `path` by creating its temporary file.
    /// - Throws: ``OutputError``.
    public static func check(path: String, overwrite: Bool) throws(OutputError) {
        _ = try AtomicFile(path: path, overwrite: overwrite)
    }

    /// Appends bytes.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    public func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
        // A whole file is not copied.
        if buffer.isEmpty, bytes.underestimatedCount >= Self.bufferSize / 16 {
            let written = bytes.withContiguousStorageIfAvailable { bytes in
                writeAll(UnsafeRawBufferPointer(bytes), to: descriptor)
            }
            if let written {
                if let code = written { throw Self.failure(shownPath, code) }
                return
            }
        }
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// The destination for a library that writes the file.
    package enum LentPlace {
        /// An open file, which the library must not close.
        case descriptor(Int32)
        /// A file that the library must create under this name.
        case name(String)
    }

    /// Lets a library write the file instead. A library that must create a file by name gets one in a private folder,
    /// since other users could place a link under that name in a folder that they can write to.
    /// - Throws: ``OutputError``.
    package func lend() throws(OutputError) -> LentPlace {
        guard hasTemporary else { return .descriptor(descriptor) }
        close(descriptor)
        descriptor = -1
        removeTemporary()
        LeftFiles.removeOnce(in: Self.folder(of: path) + "/")
        guard mkdir(temporary, 0o700) == 0 else { throw Self.failure(shownPath, errno) }
        let number = open(temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw Self.failure(shownPath, errno) }
        let folder = OpenDescriptor(number)
        guard folder.isPrivate else { throw Self.failure(shownPath, EACCES) }
        LeftFiles.lock(folder.number)
        (lentFolder, hasTemporary) = (folder, true)
        return .name(source)
    }

    static let lentName = "file"

    /// Takes the file back after the library has written and closed it.
    /// - Throws: ``OutputError``.
    package func takeBack() throws(OutputError) {
        if lentFolder == nil { return }
        descriptor = open(source, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(shownPath, errno) }
        keepMode()
    }

    /// Makes the bytes durable, still without the final name. No bytes may be written afterwards.
    /// - Throws: ``OutputError``.
    public func finish() throws(OutputError) {
        if isFinished { return }
        try flush()
        // Many complete files may wait for their names.
        buffer = []
        var status = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else { throw Self.failure(shownPath, errno) }
        self.status = FileStatus(status)
        isFinished = true
    }

    /// Makes the bytes durable, unless ``finish()`` has done so, and gives them the final name.
    /// - Parameter syncsFolder: whether the name is also durable on return. Otherwise a power failure in the next
    ///   seconds may lose the new name, but never leaves an incomplete file.
    /// - Throws: ``OutputError``; the final name is then untouched.
    public func commit(syncsFolder: Bool = true) throws(OutputError) {
        try finish()
        defer { if hasTemporary { removeTemporary() } }
        // Recorded first, so that the process cannot end with a file that has its name but is not recorded.
        if let status { ProcessFiles.note(WrittenFile(path: recordedPath, status)) }
        try hasTemporary ? rename() : giveName()
        guard syncsFolder else { return }
        let folder = open(Self.folder(of: path) + "/", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // The file is complete under its name even on a file system that cannot sync folders.
        fsync(folder)
        close(folder)
    }

    /// The absolute name without symbolic links: a new file may have been named relative to the current folder.
    private var recordedPath: String {
        guard folder == nil, let parent = realPath(Self.folder(of: path) + "/") else { return shownPath }
        let slash = UInt8(ascii: "/")
        let name = path.utf8.lastIndex(of: slash).map { path.utf8[path.utf8.index(after: $0)...] } ?? path.utf8[...]
        return (parent.hasSuffix("/") ? parent : parent + "/") + String(Substring(name))
    }

    private func flush() throws(OutputError) {
        let failure = buffer.withUnsafeBytes { writeAll($0, to: descriptor) }
        buffer.removeAll(keepingCapacity: true)
        if let failure { throw Self.failure(shownPath, failure) }
    }

    /// Gives the unnamed file its final name.
    private func giveName() throws(OutputError) {
        if skyfarm_name_file(descriptor, path) == 0 { return }
        guard errno == EEXIST, replaces else { throw Self.failure(shownPath, errno) }
        // Only a named file can replace another.
        LeftFiles.removeOnce(in: Self.folder(of: path) + "/")
        LeftFiles.lock(descriptor)
        guard skyfarm_name_file(descriptor, temporary) == 0 else { throw Self.failure(shownPath, errno) }
        hasTemporary = true
        try rename()
    }

    private func rename() throws(OutputError) {
        if !replaces {
            // Unlike rename, link never replaces a file that appeared since the check. Some file systems lack it.
            if link(source, path) == 0 { return }
            if errno == EEXIST { throw Self.failure(shownPath, EEXIST) }
        }
        guard Foundation.rename(source, path) == 0 else { throw Self.failure(shownPath, errno) }
    }

    /// Returns the path with links resolved, if they are followed. Errors name `shown`.
    private static func resolve(
        _ path: String, as shown: String, _ overwrite: Bool, followsLinks: Bool
    ) throws(OutputError) -> String {
        var status = stat()
        guard !shown.isEmpty, !path.utf8.contains(0) else {
            throw OutputError(.unwritable, "the output's name is empty or contains a zero byte; name a file")
        }
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(shown, errno) }
            return path
        }
        var target = path
        if followsLinks {
            guard let real = realPath(path) else { throw failure(shown, errno) }
            target = real
            guard stat(target, &status) == 0 else { throw failure(shown, errno) }
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw OutputError(.unwritable, "\(shown): is a folder; name a file") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OutputError(.unwritable, "\(shown): is no regular file; name another, or - for standard output")
        }
        guard overwrite || ProcessFiles.isOwn(shown) else { throw failure(shown, EEXIST) }
        return target
    }

    package static func failure(_ path: String, _ code: Int32) -> OutputError {
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

/// Writes all bytes. Returns the error number on failure.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
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
