import ScanCluster
import ScanNetwork

/// Current load of a node, for the page of the cluster.
package struct NodeLoad: Codable, Equatable, Sendable {
    package var name: String
    package var address: String
    package var software: String
    package var slots: Int
    package var running = 0
    package var queued = 0
    /// Number of tasks done since the node began.
    package var done = 0
    package var coordinators = 0
    /// Current activity in words, as on the node's own page.
    package var now = ""
    /// Failed tasks, newest last, with the time since each failure.
    package var failures: [Failure] = []

    package init(name: String, address: String, software: String, slots: Int) {
        (self.name, self.address, self.software, self.slots) = (name, address, software, slots)
    }

    package struct Failure: Codable, Equatable, Sendable {
        package var secondsAgo: Double
        package var text: String

        package init(secondsAgo: Double, text: String) { (self.secondsAgo, self.text) = (secondsAgo, text) }
    }

    /// Maximum number of failures that are sent.
    package static let failureLimit = 20

    /// Copy with numbers and texts limited to a valid range, since a peer may send any.
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
    /// The beginning of a peer's text, at most 1000 characters, that is kept.
    package var kept: String {
        utf8.count <= 1000 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(1000)))
    }
}
