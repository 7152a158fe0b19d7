import Foundation

/// A service that runs `skyfarm node`, as the machine's service manager is to know it.
struct NodeService: Equatable, Sendable {
    /// Absolute path of the program.
    var program: String
    /// Options of `skyfarm node`, as given.
    var options: [String]
    var owner: Owner
    /// Absolute paths of the folders that the node reads images from.
    var data: [String] = []

    /// Whose service it is.
    enum Owner: Sendable {
        /// The machine's: it runs as a user of its own.
        case system
        /// One user's: it runs as that user, with that user's key.
        case user
    }

    static let name = "skyfarm-node"

    /// The command that the service runs.
    var command: [String] { [program, "node"] + options }
}

extension NodeService {
    /// Absolute path of the program that was started as `argument`, by the name under which it was found: a name that
    /// stays when a package manager puts another version behind it.
    static func programPath(_ argument: String, environment: [String: String], folder: String) -> String? {
        if argument.contains("/") {
            return URL(fileURLWithPath: argument, relativeTo: URL(fileURLWithPath: folder, isDirectory: true))
                .standardizedFileURL.path
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(argument)" }.first { access($0, X_OK) == 0 }
    }

    /// Whether a user who has no rights but those of all, and sees neither home folders nor the temporary ones, can run
    /// the program.
    var isProgramForAll: Bool {
        let path = URL(fileURLWithPath: program).resolvingSymlinksInPath().path
        let hidden = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"]
        if hidden.contains(where: path.hasPrefix) { return false }
        var folder = path
        repeat {
            var status = stat()
            guard stat(folder, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            folder = (folder as NSString).deletingLastPathComponent
        } while folder != "/"
        return true
    }
}
