internal import CSystem
import Foundation

/// The temporary files of ``AtomicFile``, and the folders in which libraries write them, that were left by processes that
/// were killed.
package enum LeftFiles {
    private static let mutex = NSLock()
    // Read and written only while `mutex` is held.
    nonisolated(unsafe) private static var cleaned: Set<String> = []

    /// Tells other processes that the file or folder is in use as long as it is open.
    static func lock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_EX | LOCK_NB) }

    /// Removes those of this user in a folder, unless this process has done so before: a folder may have many files.
    package static func removeOnce(in folder: String) {
        guard let path = realPath(folder), mutex.withLock({ cleaned.insert(path).inserted }) else { return }
        remove(in: folder)
    }

    /// Removes those of this user in a folder that no process uses: each is locked by its own.
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

    /// Whether it has been there for so long that its process has locked it, if that is possible: a process locks it a
    /// moment after it was made, and locks of other machines may be invisible on a network file system.
    private static func isOld(_ status: stat, _ descriptor: Int32) -> Bool {
        let age = Date.now.timeIntervalSince1970 - Double(FileStatus.modified(status)) / 1e9
        return age > (skyfarm_is_on_local_disk(descriptor) != 0 ? 1 : 86_400)
    }
}
