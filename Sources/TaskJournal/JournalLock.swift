internal import Foundation

/// The exclusive right to run a job. It is a file lock, which the kernel releases when the process ends for any reason.
/// On file systems without locks it is a socket, which excludes only processes of this machine.
package final class JournalLock {
    private let path: String
    private let descriptor: Int32
    private let substitute: SocketLock?

    /// Acquires the lock. `remedies` are texts for errors.
    /// - Throws: ``JournalError`` with `inUse`, naming the process that holds the lock, or with `unwritable`.
    package init(path: String, remedies: JournalRemedies = .library) throws(JournalError) {
        self.path = path
        var attemptsLeft = 50
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.unwritable(path, remedies) }
            guard Self.isOwn(descriptor) else {
                close(descriptor)
                throw JournalError(.unwritable, "\(path): is not a file of this user; remove it")
            }
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            let error = errno
            let substitute = isLocked || Self.isHeld(error) ? nil : SocketLock(path)
            guard isLocked || substitute != nil else {
                defer { close(descriptor) }
                // A killed process holds the lock until its memory is freed, and `skyfarm jobs` holds it briefly.
                // Retries therefore continue for one second in total.
                attemptsLeft -= 1
                if attemptsLeft > 0 {
                    usleep(20_000)
                    continue
                }
                let holder = Self.process(descriptor).map { "process \($0)" } ?? "another process"
                throw JournalError(
                    .inUse, "\(holder) runs this job already; wait until it ends, or stop it and start this again")
            }
            // The previous holder may have removed the file between opening and locking it.
            if Self.isFile(descriptor, at: path) {
                (self.descriptor, self.substitute) = (descriptor, substitute)
                break
            }
            close(descriptor)
        }
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        // If the write fails, messages cannot name the process, but the lock is held.
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        unlink(path)
        close(descriptor)
    }

    /// Returns the process that holds the lock at `path`, or nil if none does.
    package static func holder(path: String) -> Int? {
        // Links are not followed, and opening a pipe does not block until it has a writer.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard isOwn(descriptor) else { return nil }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        if !isHeld(errno), SocketLock(path) != nil { return nil }
        return process(descriptor) ?? 0
    }

    /// Returns whether this error of `flock` means that another process holds the lock. Other errors mean that the file
    /// system has no locks; NFS without its lock service returns ENOLCK.
    private static func isHeld(_ error: Int32) -> Bool { error == EWOULDBLOCK || error == EINTR }

    /// Returns whether the descriptor is a regular file of this user.
    private static func isOwn(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    private static func process(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self))
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    private static func unwritable(_ path: String, _ remedies: JournalRemedies) -> JournalError {
        let cause = String(cString: strerror(errno)).lowercased()
        if errno == ENOSPC || errno == EDQUOT {
            return JournalError(.noSpace, "\(path): \(cause); free some room and \(remedies.again)")
        }
        return JournalError(.unwritable, "\(path): \(cause); \(remedies.unwritable)")
    }
}
