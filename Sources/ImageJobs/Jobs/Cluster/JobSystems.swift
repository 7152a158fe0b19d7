import Foundation

/// Systems that work on a job, as far as the end of its log shows.
package struct JobSystems: Codable, Equatable, Sendable {
    package struct System: Codable, Equatable, Sendable {
        package var name: String
        package var slots: Int
    }

    /// Connected systems in the order in which they joined.
    package var present: [System] = []
    /// Names of the systems that finished the latest tasks, newest last.
    package var recent: [String] = []

    /// Failed attempts, newest last.
    package var failures: [Failure] = []

    package struct Failure: Codable, Equatable, Sendable {
        /// Whether the task was given up.
        package var isFinal: Bool
        package var reason: String
        /// Lines of the node's log.
        package var log: [String]
    }

    /// Maximum number of failures that are kept.
    package static let failureLimit = 5
    /// Maximum number of recent tasks that are kept.
    static let recentLimit = 64
    /// Maximum number of systems that are shown.
    package static let systemLimit = 1000

    /// Copy limited to the sizes that a log yields, since a peer may send more.
    var possible: JobSystems {
        var systems = self
        systems.present = Array(present.prefix(Self.systemLimit))
        systems.recent = recent.suffix(Self.recentLimit)
        systems.failures = failures.suffix(Self.failureLimit)
        return systems
    }

    package init() {}

    /// Parses the events of a log.
    package init(log: String) {
        let decoder = JSONDecoder()
        for line in log.split(separator: "\n") where line.hasPrefix("{") {
            guard let event = try? decoder.decode(Event.self, from: Data(line.utf8)) else { continue }
            if let reason = event.reason, ["failed", "retried"].contains(event.event) {
                failures.append(
                    Failure(isFinal: event.event == "failed", reason: reason, log: Array((event.log ?? []).prefix(6))))
            }
            guard let name = event.system else { continue }
            switch event.event {
            case "joined":
                present.removeAll { $0.name == name }
                present.append(System(name: name, slots: event.slots ?? 0))
            case "left": present.removeAll { $0.name == name }
            case "finished": recent.append(name)
            default: break
            }
        }
        recent = recent.suffix(Self.recentLimit)
        failures = failures.suffix(Self.failureLimit)
    }

    private struct Event: Decodable {
        var event: String
        var system: String?
        var slots: Int?
        var reason: String?
        var log: [String]?
    }
}
