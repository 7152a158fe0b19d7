import CommandLineKit
import Foundation

/// A folder for files that must not outlive the process; made when it is needed.
struct TemporaryFolder: Sendable {
    private let path: String

    /// A folder whose name begins so.
    init(named name: String) {
        path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
    }

    /// Makes it, closed to others.
    /// - Returns: its path.
    /// - Throws: ``CommandError`` if it cannot be made.
    func make() throws(CommandError) -> String {
        guard mkdir(path, 0o700) == 0 else {
            let reason = String(cString: strerror(errno)).lowercased()
            throw CommandError(.output, "\(path): \(reason); name another folder in TMPDIR")
        }
        return path
    }

    /// Removes it with all that is in it.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
