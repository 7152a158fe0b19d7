import CommandLineKit
import Foundation

/// A service that runs `skyfarm node`.
package struct NodeService: Equatable, Sendable {
    /// Absolute path of the program.
    package var program: String
    /// Options of `skyfarm node`, as given.
    package var options: [String]
    package var owner: Owner
    /// Absolute paths of the folders that the node reads images from.
    package var data: [String] = []
    /// Absolute paths of the folders in which jobs of other machines write or the store keeps files.
    package var written: [String] = []

    package init(program: String, options: [String], owner: Owner, data: [String] = [], written: [String] = []) {
        self.program = program
        self.options = options
        self.owner = owner
        self.data = data
        self.written = written
    }

    /// The owner of a service.
    package enum Owner: Sendable {
        /// The system service, which runs as its own user.
        case system
        /// The service of one user, which runs as that user with that user's key.
        case user
    }

    package static let name = "skyfarm-node"

    /// Default of `--nice` for a service.
    package static let niceness = 10

    /// The command line that the service runs.
    package var command: [String] {
        let nice = NodeCommand.nice.spec
        return [program, "node"] + options + (isGiven(nice) ? [] : ["--" + nice.name, "\(Self.niceness)"])
    }

    /// Whether the options require the node to observe load and use of the machine.
    var observesMachine: Bool { isGiven(NodeCommand.maxLoad.spec) || isGiven(NodeCommand.whenIdle.spec) }

    /// Whether the node runs programs of its owner, or workers for functions of the owner's modules.
    var runsPrograms: Bool { isGiven(NodeCommand.program.spec) || isGiven(NodeCommand.python.spec) }

    private func isGiven(_ option: OptionSpec) -> Bool {
        options.contains { $0 == "--" + option.name || $0.hasPrefix("--" + option.name + "=") }
    }
}

extension NodeService {
    /// Returns the absolute path of the program started as `argument`. Symbolic links are kept, since package managers
    /// change their targets on updates.
    package static func programPath(_ argument: String, environment: [String: String], folder: String) -> String? {
        if argument.contains("/") {
            return URL(fileURLWithPath: argument, relativeTo: URL(fileURLWithPath: folder, isDirectory: true))
                .standardizedFileURL.path
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(argument)" }.first { access($0, X_OK) == 0 }
    }

    /// Whether a user without group memberships can run the program when home and temporary folders are hidden.
    package var isProgramForAll: Bool {
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
