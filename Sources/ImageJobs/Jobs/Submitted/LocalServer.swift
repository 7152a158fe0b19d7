import CommandLineKit
import Console
import Dispatch
import Foundation
import ScanBasics
import ScanCluster
import SkyScan
import TaskJournal

/// Serves the ``LocalSocket`` for processes of this user, until it is released.
package final class LocalServer: @unchecked Sendable {
    // Sendable, since nothing changes after `init` and the source may be cancelled from any thread.

    private let path: String
    private let source: any DispatchSourceRead
    /// Lock held by the one node of a user that serves the socket; the kernel releases it when the process ends.
    private let lock: Int32
    /// Used instead of `lock` on file systems without locks.
    private let substitute: SocketLock?

    /// Creates the server, or returns nil if another node of this user serves the socket.
    /// - Throws: `CommandError` if the socket cannot be created.
    package init?(path: String, answer: @escaping @Sendable (LocalRequest) async -> LocalReply) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CommandError(.failure, "\(folder): others can write there: jobs cannot be submitted; chmod 700 it")
        }
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CommandError(.failure, path + ".lock", errno: errno) }
        let isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0
        let error = errno
        // The file system may not support locks.
        substitute = isLocked || error == EWOULDBLOCK ? nil : SocketLock(path + ".lock")
        guard isLocked || substitute != nil else {
            close(lock)
            return nil
        }
        // Removes the socket of an earlier node.
        unlink(path)
        let descriptor = socket(AF_UNIX, LocalSocket.streamType, 0)
        // On Linux the file of the socket is created with this mode; elsewhere it gets it in the next statement. The
        // umask is not used, since other threads share it. Until then the peer's user is checked, as always.
        fchmod(descriptor, 0o600)
        let isBound = try LocalSocket.withAddress(path) { bind(descriptor, $0, $1) == 0 }
        guard isBound, chmod(path, 0o600) == 0, listen(descriptor, 64) == 0 else {
            let error = CommandError(.failure, path, errno: errno)
            close(descriptor)
            close(lock)
            throw error
        }
        self.path = path
        self.lock = lock
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { @Sendable in Self.accept(descriptor, answer) }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.activate()
    }

    deinit {
        unlink(path)
        source.cancel()
        close(lock)
    }

    private static let queue = DispatchQueue(label: "skyfarm.local", attributes: .concurrent)

    private static func accept(_ listener: Int32, _ answer: @escaping @Sendable (LocalRequest) async -> LocalReply) {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard LocalSocket.peer(of: descriptor) == geteuid() else {
            close(descriptor)
            return
        }
        limitTime(ofSocket: descriptor, seconds: 5)
        // Handled on another thread, since a peer that sends nothing must not delay others.
        queue.async {
            let line = try? LocalSocket.readLine(descriptor)
            let request = line.flatMap { try? JSONDecoder().decode(LocalRequest.self, from: $0) }
            Task {
                let reply =
                    if let request { await answer(request) } else {
                        LocalReply(error: "the request cannot be read; use the same version of skyfarm for both")
                    }
                let text = (try? JSONOutput.line(reply)) ?? "\n"
                try? FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
                close(descriptor)
            }
        }
    }
}
