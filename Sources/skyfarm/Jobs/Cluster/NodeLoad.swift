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
