package import CommandLineKit
import Foundation

/// A folder for temporary files, created on demand.
package struct TemporaryFolder: Sendable {
    private let path: String

    /// Chooses a path whose last component begins with `name`, without creating the folder.
    package init(named name: String) {
        path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
    }

    /// Creates the folder, accessible only to this user, and returns its path.
    package func make() throws(CommandError) -> String {
        guard mkdir(path, 0o700) == 0 else {
            throw CommandError(.output, path, errno: errno, remedy: "; name another folder in TMPDIR")
        }
        return path
    }

    /// Removes the folder with its contents.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
