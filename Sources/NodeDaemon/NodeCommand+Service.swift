package import CommandLineKit
import Console
import Foundation

extension NodeCommand {
    /// A request by `--install-service`.
    package struct ServiceRequest: Equatable, Sendable {
        package var owner: NodeService.Owner
        /// Whether to print the service file without writing it.
        package var isDryRun: Bool
        /// Options of the node, as given.
        package var options: [String]
        package var environment: [String: String]
    }

    static let installService = Option.toggle(
        "install-service", help: "Install a service that runs this node with these options; do not start it")
    package static let user = Option.toggle(
        "user", help: "With --install-service: install it for this user, not for the machine")
    package static let dryRun = Option.toggle(
        "dry-run", help: "With --install-service: print the file instead of writing it")

    /// Returns the request for a service, or nil if the arguments contain none.
    static func serviceRequest(_ arguments: Arguments) throws(UsageError) -> ServiceRequest? {
        let isForUser = try arguments[user]
        let isDryRun = try arguments[dryRun]
        guard try arguments[installService] else {
            if isForUser || isDryRun {
                throw UsageError("--\(isForUser ? "user" : "dry-run") belongs to node --install-service")
            }
            return nil
        }
        let own = [installService, user, dryRun].map { "--" + $0.spec.name }
        return ServiceRequest(
            owner: isForUser ? .user : .system, isDryRun: isDryRun,
            options: arguments.words.filter { !own.contains(String($0.prefix { $0 != "=" })) },
            environment: arguments.environment)
    }

    /// Writes or prints the service file.
    package func install(_ request: ServiceRequest) throws -> ExitCode {
        guard
            let program = NodeService.programPath(
                CommandLine.arguments[0], environment: request.environment,
                folder: FileManager.default.currentDirectoryPath)
        else { throw CommandError(.failure, "node: cannot find the path of this program: run it by its absolute path") }
        let stores = [options.store].compactMap(\.self)
        let scratch = [options.programs.scratch].compactMap(\.self)
        let named = [
            ("data", options.data), ("accept-jobs", options.acceptedFolders), ("store", stores), ("scratch", scratch),
        ]
        for (name, folders) in named {
            if let relative = folders.first(where: { !$0.hasPrefix("/") }) {
                throw UsageError("--\(name) \(relative): a service needs the absolute path of a folder")
            }
        }
        let service = NodeService(
            program: program, options: request.options, owner: request.owner, data: options.data,
            written: options.acceptedFolders + stores + scratch)
        let file = try ServiceFile(service, .ofThisSystem, environment: request.environment)
        if request.isDryRun {
            try StandardOutput.write(file.text)
            return .complete
        }
        try Self.check(service)
        let isNew = try file.write()
        let did = isNew ? "wrote \(file.path); the service is not started" : "\(file.path) is up to date"
        for line in [did] + file.advice { StandardError.write("skyfarm node: \(line)\n") }
        return .complete
    }

    private static func check(_ service: NodeService) throws(CommandError) {
        #if !os(macOS)
            guard FileManager.default.fileExists(atPath: "/run/systemd/system") else {
                throw CommandError(
                    .failure,
                    "node: this machine is not run by systemd: configure its service manager to run `skyfarm node`,"
                        + " which stops on SIGTERM; --dry-run prints a unit for systemd")
            }
        #endif
        guard service.owner == .system else { return }
        guard geteuid() == 0 else {
            throw CommandError(.output, "node: a service of the machine needs root: run this with sudo, or add --user")
        }
        guard service.isProgramForAll else {
            let path = quotedForShell(service.program)
            throw CommandError(
                .failure,
                "node: the user of the service cannot run \(path): run 'sudo install \(path) /usr/local/bin/' and"
                    + " repeat"
                    + " this with /usr/local/bin/skyfarm, or add --user")
        }
    }
}
