import ScanCluster
import ScanNetwork

/// What a node does now, for the page of the cluster.
package struct NodeLoad: Codable, Equatable, Sendable {
    package var name: String
    package var address: String
    package var software: String
    package var slots: Int
    package var running = 0
    package var queued = 0
    /// Since it began.
    package var done = 0
    package var coordinators = 0
    /// In words, as on the node's own page.
    package var now = ""
    /// Tasks that failed, the newest last, with the time since then.
    package var failures: [Failure] = []

    package init(name: String, address: String, software: String, slots: Int) {
        (self.name, self.address, self.software, self.slots) = (name, address, software, slots)
    }

    package struct Failure: Codable, Equatable, Sendable {
        package var secondsAgo: Double
        package var text: String

        package init(secondsAgo: Double, text: String) { (self.secondsAgo, self.text) = (secondsAgo, text) }
    }

    /// Most failures that are sent.
    package static let failureLimit = 20

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

extension String {
    /// As much of a text of a peer as is remembered.
    package var kept: String {
        utf8.count <= 1000 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(1000)))
    }
}
