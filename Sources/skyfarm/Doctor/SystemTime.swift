import Foundation

/// Time of this machine's clock, and whether it is synchronised.
package struct SystemTime: Equatable, Sendable {
    /// Time in ISO 8601 format, in UTC.
    package var text: String
    /// Whether the clock is synchronised over the network, or nil if unknown.
    package var isSynchronized: Bool?

    package static func current() -> SystemTime {
        let text = Date.now.formatted(.iso8601)
        // Only systemd-timesyncd has a known place for its state; other daemons share none.
        let folder = "/run/systemd/timesync"
        guard FileManager.default.fileExists(atPath: folder) else { return SystemTime(text: text) }
        return SystemTime(
            text: text, isSynchronized: FileManager.default.fileExists(atPath: folder + "/synchronized"))
    }
}
