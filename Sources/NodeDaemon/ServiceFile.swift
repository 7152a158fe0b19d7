package import CommandLineKit
import Foundation
import ScanCluster

/// The file of a service for a service manager, with instructions to start it.
package struct ServiceFile: Equatable, Sendable {
    package var path: String
    package var text: String
    /// Lines to show the user after the file is written; the last one is the next command.
    package var advice: [String]

    package enum Manager: Sendable {
        case systemd, launchd

        #if os(macOS)
            static let ofThisSystem = Manager.launchd
        #else
            static let ofThisSystem = Manager.systemd
        #endif
    }

    /// Creates the file of `service` for the user with this environment.
    package init(_ service: NodeService, _ manager: Manager, environment: [String: String]) throws {
        let home = environment["HOME"] ?? ""
        switch (manager, service.owner) {
        case (.systemd, .system):
            path = "/etc/systemd/system/\(NodeService.name).service"
            text = service.systemdUnit
            advice = [
                "to give it the cluster key: skyfarm key export | sudo env XDG_CONFIG_HOME=\(NodeService.systemFolder)"
                    + " \(quotedForShell(service.program)) key import",
                "next: \(Self.userCommand)sudo systemctl daemon-reload && sudo systemctl enable --now"
                    + " \(NodeService.name)",
            ]
        case (.systemd, .user):
            guard let base = UserFolder.configuration.base(environment) else { throw Self.homeless }
            path = "\(base)/systemd/user/\(NodeService.name).service"
            text = service.systemdUnit
            advice = [
                "it runs while you are logged in; to run it always: loginctl enable-linger",
                "next: systemctl --user daemon-reload && systemctl --user enable --now \(NodeService.name)",
            ]
        case (.launchd, .user):
            guard home.hasPrefix("/") else { throw Self.homeless }
            path = "\(home)/Library/LaunchAgents/\(NodeService.name).plist"
            text = try service.launchdJob(home: home)
            let domain = "gui/\(getuid())"
            advice = [
                "it runs while you are logged in",
                "next: launchctl enable \(domain)/\(NodeService.name) && launchctl bootstrap \(domain)"
                    + " \(quotedForShell(path))",
            ]
        case (.launchd, .system):
            throw CommandError(
                .failure, "node: launchd would run the service as root, which a node does not need: add --user")
        }
    }

    /// The command that creates the user of the system service, or an empty string if the user exists.
    private static var userCommand: String {
        let (user, folder) = (NodeService.systemUser, NodeService.systemFolder)
        if getpwnam(user) != nil { return "" }
        return "sudo useradd --system --home-dir \(folder)/skyfarm --shell /usr/sbin/nologin \(user) && "
    }

    private static let homeless = CommandError(.failure, "node: no home directory for a user's service: set HOME")

    /// Writes the file atomically. Does not replace an existing file with different contents.
    /// - Returns: False if the file already has these contents.
    package func write() throws(CommandError) -> Bool {
        if let present = FileManager.default.contents(atPath: path) {
            if present == Data(text.utf8) { return false }
            throw CommandError(
                .output, "node: \(path) exists with other contents: remove it and run this again")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandError(.output, "node: cannot write \(path): \(error.localizedDescription)")
        }
        return true
    }
}
