import Foundation

/// This machine's clock.
package struct SystemTime: Equatable, Sendable {
    /// ISO 8601, in UTC.
    package var text: String
    /// Whether it is synchronized over the network; nil if unknown.
    package var isSynchronized: Bool?

    package static func current() -> SystemTime {
        let text = Date.now.formatted(.iso8601)
        // systemd-timesyncd reports its state here; other daemons have no common place.
        let folder = "/run/systemd/timesync"
        guard FileManager.default.fileExists(atPath: folder) else { return SystemTime(text: text) }
        return SystemTime(
            text: text, isSynchronized: FileManager.default.fileExists(atPath: folder + "/synchronized"))
    }
}
