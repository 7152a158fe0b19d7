import Foundation
package import ScanCluster
package import ScanDiscovery

/// The peers that another process has in its registry, as a source of announcements: they are there at once.
///
/// A node gives its registry to the processes of the jobs that it runs, in the variable ``variable``. A job connects these
/// peers when it begins. Its own discovery finds them again, which leads to no second connection, and adds others.
package struct KnownPeers: Codable, Equatable, Sendable {
    /// Environment variable by which a node passes its registry to the process of a job.
    package static let variable = "SKYFARM_JOB_SYSTEMS"

    /// Most peers that are passed on: an environment variable has at most 128 KiB. Discovery finds the others.
    package static let limit = 256

    private struct Entry: Codable, Equatable, Sendable {
        var name: String
        var id: String?
        var slots: Int?
        var isPaused: Bool?
        var addresses: [String]

        init(_ peer: Systems.Peer) {
            name = peer.name
            id = peer.identity?.description
            slots = peer.slots
            isPaused = peer.isPaused ? true : nil
            addresses = peer.addresses.map(\.description)
        }

        /// Name of its announcement. The digits are those that a node appends for DNS-SD: another name that ends in such
        /// digits stays whole.
        var instance: ServiceInstance {
            ServiceInstance(name: id.map { "\(name)-\($0.prefix(8))" } ?? name, domain: "")
        }

        /// Its numeric addresses, which have one port.
        var service: (addresses: [HostAddress], port: UInt16)? {
            let all = addresses.compactMap { try? SocketAddress(parsing: $0) }
            guard let port = all.first?.port else { return nil }
            let hosts = all.filter { $0.port == port }.compactMap { HostAddress($0.host) }
            return hosts.isEmpty ? nil : (hosts, port)
        }

        var record: TXTRecord {
            var record = TXTRecord()
            record["id"] = id
            record["slots"] = slots.map(String.init)
            record["paused"] = isPaused == true ? "1" : nil
            return record
        }
    }

    private var v = 1
    private var peers: [Entry]

    /// The first ``limit`` of these peers.
    package init(_ peers: some Sequence<Systems.Peer>) { self.peers = peers.prefix(Self.limit).map(Entry.init) }

    /// Reads ``text``; nil if it is not valid.
    package init?(text: String) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)), read.v == 1 else { return nil }
        self = read
    }

    /// The peers as one line of JSON.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private func entry(_ instance: ServiceInstance) -> Entry? { peers.first { $0.instance == instance } }
}

extension KnownPeers: ServiceDiscovery {
    /// Throws ``DiscoveryError`` with code `unsupported`: a list announces nothing.
    package func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        StaticDiscovery([]).register(service)
    }

    /// Reports all peers at once.
    package func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(.started)
            for peer in peers where peer.service != nil { continuation.yield(.added(peer.instance)) }
        }
    }

    /// Returns what is known of a peer.
    package func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        AsyncThrowingStream { continuation in
            guard let peer = entry(instance), let port = peer.service?.port else {
                return continuation.finish(
                    throwing: DiscoveryError(.noAnswer, "'\(instance.name.printable)' is not in the list of nodes"))
            }
            continuation.yield(ResolvedService(host: instance.name, port: port, txt: peer.record))
        }
    }

    /// Returns the addresses of a peer, of which `host` is the instance's name.
    package func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        AsyncThrowingStream { continuation in
            let known = entry(ServiceInstance(name: host, domain: ""))?.service?.addresses ?? []
            for address in known { continuation.yield(address) }
        }
    }
}
