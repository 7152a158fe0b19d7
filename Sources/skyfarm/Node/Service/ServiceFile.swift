import CommandLineKit
import ScanCluster
import Foundation

/// The file by which a service manager knows a service: where it goes, what it holds, and what is to be done next.
struct ServiceFile: Equatable, Sendable {
    var path: String
    var text: String
    /// What a reader is told after it is written; the last line is the next command.
    var advice: [String]

    /// The programs that run services.
    enum Manager: Sendable {
        case systemd, launchd

        #if os(macOS)
            static let ofThisSystem = Manager.launchd
        #else
            static let ofThisSystem = Manager.systemd
        #endif
    }

    /// The file of `service` for the user whose environment this is.
    init(_ service: NodeService, _ manager: Manager, environment: [String: String]) throws {
        let home = environment["HOME"] ?? ""
        switch (manager, service.owner) {
        case (.systemd, .system):
            path = "/etc/systemd/system/\(NodeService.name).service"
            text = service.systemdUnit
            advice = [
                "for the key of this cluster: skyfarm key export | sudo env XDG_CONFIG_HOME=\(NodeService.systemFolder)"
                    + " \(quotedForShell(service.program)) key import",
                "next: \(Self.userCommand)sudo systemctl daemon-reload && sudo systemctl enable --now \(NodeService.name)",
            ]
        case (.systemd, .user):
            guard let base = UserFolder.configuration.base(environment) else { throw Self.homeless }
            path = "\(base)/systemd/user/\(NodeService.name).service"
            text = service.systemdUnit
            advice = [
                "it runs while you are logged in; always, after: loginctl enable-linger",
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
                .failure, "node: launchd would run the service as root, which a node never needs: add --user")
        }
    }

    /// Makes the user that the machine's service runs as, if there is none yet.
    private static var userCommand: String {
        let (user, folder) = (NodeService.systemUser, NodeService.systemFolder)
        if getpwnam(user) != nil { return "" }
        return "sudo useradd --system --home-dir \(folder)/skyfarm --shell /usr/sbin/nologin \(user) && "
    }

    private static let homeless = CommandError(.failure, "node: no place for a service of your own: set HOME")

    /// Writes the file, whole or not at all. One that is there already stays if it says anything else.
    /// - Returns: False if the same file was there already.
    func write() throws(CommandError) -> Bool {
        if let present = FileManager.default.contents(atPath: path) {
            if present == Data(text.utf8) { return false }
            throw CommandError(
                .output, "node: \(path) is there already, with other contents: remove it, then run this again")
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
