internal import CSystem
import Foundation

/// Temporary files of ``AtomicFile``, and the folders in which libraries write them, left behind by killed processes.
package enum LeftFiles {
    private static let cleaned = Locked<Set<String>>([])

    /// Marks an open file or folder as in use for other processes.
    static func lock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_EX | LOCK_NB) }

    /// Removes this user's left files in a folder, at most once per process: a folder may have many files.
    package static func removeOnce(in folder: String) {
        guard let path = realPath(folder), cleaned.withLock({ $0.insert(path).inserted }) else { return }
        remove(in: folder)
    }

    /// Removes this user's left files in a folder, except those that are locked by the process that uses them.
    package static func remove(in folder: String) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names where name.hasPrefix(".skyfarm-") && name.hasSuffix(".part") { remove("\(folder)/\(name)") }
    }

    private static func remove(_ path: String) {
        let number = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return }
        let file = OpenDescriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_uid == geteuid(), isOld(status, number),
            flock(number, LOCK_EX | LOCK_NB) == 0
        else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: unlink(path)
        case S_IFDIR where file.isPrivate:
            unlinkat(number, AtomicFile.lentName, 0)
            rmdir(path)
        default: break
        }
    }

    /// Whether a file is so old that its process, if alive, must have locked it. A process locks a file a moment after
    /// creating it, and on a network file system the locks of other machines may be invisible.
    private static func isOld(_ status: stat, _ descriptor: Int32) -> Bool {
        let age = Date.now.timeIntervalSince1970 - Double(FileStatus.modified(status)) / 1e9
        return age > (skyfarm_is_on_local_disk(descriptor) != 0 ? 1 : 86_400)
    }
}
