package import CommandLineKit
import Foundation
package import ScanCluster
import ScanDiscovery

/// A node that `skyfarm up` started on another machine.
package struct FleetNode: Equatable, Sendable {
    /// Name of the host as given to ssh.
    package var host: String
    /// Address at which coordinators reach the node.
    package var address: SocketAddress
    package var name: String

    package init(host: String, address: SocketAddress, name: String) {
        self.host = host
        self.address = address
        self.name = name
    }
}

/// The file of the nodes that `skyfarm up` started, one per line, by which other commands find them in networks without
/// multicast.
package struct FleetFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Uses `$XDG_STATE_HOME/skyfarm/hosts`, or returns nil if the environment defines no such folder.
    package init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let folder = UserFolder.state.path(environment) else { return nil }
        path = folder + "/hosts"
    }

    private var folder: String { (path as NSString).deletingLastPathComponent }

    /// Throws an error if another user owns the folder or can write to it.
    /// - Throws: `CommandError` that names the folder and the cause.
    package func check() throws(CommandError) {
        if let distrust = UserFolder.distrust(folder) { throw CommandError(.failure, distrust) }
    }

    /// The nodes listed in the file. Empty if the file is missing or its folder cannot be trusted. Lines that name no
    /// node are skipped.
    package var nodes: [FleetNode] {
        if UserFolder.distrust(folder) != nil { return [] }
        return Self.parse((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
    }

    /// Replaces the entries of the hosts of `nodes`, and removes the entries of the hosts `gone`. Concurrent updates
    /// wait for each other. The file is removed if no node is left, unless nodes are expected.
    /// - Throws: `CommandError` if the file cannot be written.
    package func update(with nodes: [FleetNode] = [], without gone: [String] = [], expectsNodes: Bool = false)
        throws(CommandError)
    {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError(.output, "\(folder): cannot be made; check its permissions")
        }
        try check()
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CommandError(.output, path + ".lock", errno: errno) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0, errno == EINTR {}
        let hosts = Set(nodes.map(\.host) + gone)
        let all = self.nodes.filter { !hosts.contains($0.host) } + nodes
        if all.isEmpty, !expectsNodes {
            unlink(path)
            return
        }
        do {
            try Data(Self.text(all).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandError(.output, "\(path): cannot be written; check the disk and permissions")
        }
    }

    package static func parse(_ text: String) -> [FleetNode] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, !line.hasPrefix("#"), let address = try? SocketAddress(parsing: words[1]) else {
                return nil
            }
            return FleetNode(host: words[0], address: address, name: words[2])
        }
    }

    package static func text(_ nodes: [FleetNode]) -> String {
        nodes.isEmpty
            ? ""
            : "# Nodes started by skyfarm up: host, address, name. `skyfarm down` removes them.\n"
                + nodes.map { "\($0.host) \($0.address) \($0.name)\n" }.joined()
    }
}
