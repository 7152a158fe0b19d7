import ScanCluster
import ScanNetwork

/// What a node does now, for the page of the cluster.
struct NodeLoad: Codable, Equatable, Sendable {
    var name: String
    var address: String
    var software: String
    var slots: Int
    var running: Int
    var queued: Int
    /// Since it began.
    var done: Int
    var coordinators: Int
    /// In words, as on the node's own page.
    var now: String
    /// Tasks that failed, the newest last, with the time since then.
    var failures: [Failure]

    struct Failure: Codable, Equatable, Sendable {
        var secondsAgo: Double
        var text: String
    }

    /// Most failures that are sent.
    static let failureLimit = 20

    /// The same with numbers that can be computed with and texts that can be kept: a peer may send any.
    var possible: NodeLoad {
        func count(_ number: Int) -> Int { min(max(0, number), 1 << 40) }
        var load = self
        (load.name, load.address, load.software) = (name.kept, address.kept, software.kept)
        (load.slots, load.running, load.queued) = (count(slots), count(running), count(queued))
        (load.done, load.coordinators, load.now) = (count(done), count(coordinators), now.kept)
        load.failures = failures.suffix(Self.failureLimit).map {
            Failure(secondsAgo: max(0, $0.secondsAgo.ifFinite ?? 0), text: $0.text.kept)
        }
        return load
    }
}

extension NodeLoad {
    init(_ server: NodeServer, _ live: LiveNode, _ address: SocketAddress) {
        let (status, record, time) = (server.status, live.read(), live.elapsed)
        (name, self.address, software, slots) = (live.name, address.description, Skyfarm.software, live.slots)
        (running, queued, done, coordinators) = (status.running, status.queued, status.done, status.connections)
        now = record.now(status, at: time)
        failures = record.failures.map { Failure(secondsAgo: time - $0.time, text: $0.text) }
    }
}

extension String {
    /// As much of a text of a peer as is remembered.
    var kept: String {
        utf8.count <= 1000 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(1000)))
    }
}
