import Foundation

/// This machine's clock.
struct SystemTime: Equatable, Sendable {
    /// ISO 8601, in UTC.
    var text: String
    /// Whether the system keeps it right by the network; nil if that is not known.
    var isSynchronized: Bool?

    /// The time now.
    static func current() -> SystemTime {
        let text = Date.now.formatted(.iso8601)
        // Where systemd keeps the time, it says here whether it could; other keepers leave no common trace.
        let folder = "/run/systemd/timesync"
        guard FileManager.default.fileExists(atPath: folder) else { return SystemTime(text: text) }
        return SystemTime(
            text: text, isSynchronized: FileManager.default.fileExists(atPath: folder + "/synchronized"))
    }
}
