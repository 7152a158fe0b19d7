package import CommandLineKit
import Foundation

/// A folder for temporary files, created on demand.
package struct TemporaryFolder: Sendable {
    private let path: String

    /// `name` is the first part of the folder's name.
    package init(named name: String) {
        path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
    }

    /// Creates it, accessible to this user only, and returns its path.
    package func make() throws(CommandError) -> String {
        guard mkdir(path, 0o700) == 0 else {
            throw CommandError(.output, path, errno: errno, remedy: "; name another folder in TMPDIR")
        }
        return path
    }

    /// Removes it with its contents.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
