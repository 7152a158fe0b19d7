import CProgramBox
import Foundation
import ScanBasics

/// The private folder of one process for the folders of its tasks. It is locked while the process lives; folders that a
/// killed process has left are removed by the next one.
final class ScratchFolder: Sendable {
    let path: String
    let descriptor: OpenDescriptor
    private let name: String
    private let parent: OpenDescriptor
    private let number = Locked(0)

    private static let prefix = "skyfarm-programs-"

    /// Makes the folder in `parent`.
    /// - Throws: ``ProgramRefusal``.
    init(in parent: String) throws(ProgramRefusal) {
        let outer = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard outer >= 0 else { throw Self.refusal(parent) }
        self.parent = OpenDescriptor(outer)
        Self.removeLeft(in: parent, outer)
        var generator = SystemRandomNumberGenerator()
        name = Self.prefix + String(generator.next(), radix: 16)
        path = (parent.hasSuffix("/") ? parent : parent + "/") + name
        guard mkdirat(outer, name, 0o700) == 0 else { throw Self.refusal(parent) }
        let inner = openat(outer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { throw Self.refusal(path) }
        descriptor = OpenDescriptor(inner)
        _ = flock(inner, LOCK_EX | LOCK_NB)
        guard descriptor.isPrivate else { throw ProgramRefusal("\(path): belongs to another user") }
    }

    /// A name that no task has had.
    func newName() -> String {
        number.withLock { number in
            number += 1
            return "task-\(number)"
        }
    }

    func remove() { skyfarm_remove_tree(parent.number, name) }

    private static func refusal(_ path: String) -> ProgramRefusal {
        ProgramRefusal("\(path): \(String(cString: strerror(errno)).lowercased()); name another folder by --scratch")
    }

    /// Removes the folders of this user that no process has locked.
    private static func removeLeft(in parent: String, _ descriptor: Int32) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let number = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { continue }
            let folder = OpenDescriptor(number)
            // A folder gets its lock a moment after it was made.
            guard folder.isPrivate, let status = folder.status, status.modificationDate.timeIntervalSinceNow < -1,
                flock(number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            skyfarm_remove_tree(descriptor, name)
        }
    }
}
