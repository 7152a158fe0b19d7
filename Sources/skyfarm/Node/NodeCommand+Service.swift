import CommandLineKit
import Foundation

extension NodeCommand {
    /// What `--install-service` asks for.
    struct ServiceRequest: Equatable, Sendable {
        var owner: NodeService.Owner
        /// Only show the file.
        var isDryRun: Bool
        /// The node's own options, as given.
        var options: [String]
        var environment: [String: String]
    }

    static let installService = Option.toggle(
        "install-service", help: "Write the file by which this system's service manager runs this node; start nothing")
    static let user = Option.toggle("user", help: "With --install-service: for this user, not for the machine")
    static let dryRun = Option.toggle(
        "dry-run", help: "With --install-service: print the file instead of writing it")

    /// The request that was made, if any.
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

    /// Writes the service's file, or shows it.
    func install(_ request: ServiceRequest) throws -> ExitCode {
        guard
            let program = NodeService.programPath(
                CommandLine.arguments[0], environment: request.environment,
                folder: FileManager.default.currentDirectoryPath)
        else { throw CommandError(.failure, "node: cannot tell where this program is: start it by its whole path") }
        if let relative = options.data.first(where: { !$0.hasPrefix("/") }) {
            throw UsageError("--data \(relative): a service needs the whole path of a folder, from / on")
        }
        let service = NodeService(
            program: program, options: request.options, owner: request.owner, data: options.data)
        let file = try ServiceFile(service, .ofThisSystem, environment: request.environment)
        if request.isDryRun {
            try StandardOutput.write(file.text)
            return .complete
        }
        try Self.check(service)
        let isNew = try file.write()
        let did = isNew ? "wrote \(file.path); nothing is started" : "\(file.path) is there already, as it should be"
        for line in [did] + file.advice { StandardError.write("skyfarm node: \(line)\n") }
        return .complete
    }

    private static func check(_ service: NodeService) throws(CommandError) {
        #if !os(macOS)
            guard FileManager.default.fileExists(atPath: "/run/systemd/system") else {
                throw CommandError(
                    .failure,
                    "node: systemd does not run this machine: let its service manager run `skyfarm node`, which stops on"
                        + " SIGTERM; --dry-run prints a unit for systemd")
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
                "node: the service has a user of its own, who cannot run \(path): run 'sudo install \(path)"
                    + " /usr/local/bin/' and then this again with /usr/local/bin/skyfarm, or add --user")
        }
    }
}
