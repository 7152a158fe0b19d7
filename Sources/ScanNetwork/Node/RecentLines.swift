/// The last lines of a log that were not sent to its reader yet. Pure.
package struct RecentLines: Sendable {
    private var lines: [String] = []

    package init() {}

    /// Adds the newest line, and drops the oldest of too many.
    package mutating func append(_ line: String) {
        if lines.count == CodedFailure.lineLimit { lines.removeFirst() }
        lines.append(line)
    }

    /// Removes and returns the lines, to be sent.
    package mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
