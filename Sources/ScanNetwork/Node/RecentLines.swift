/// The last lines of a log that its reader has not been sent yet. Pure.
package struct RecentLines: Sendable {
    private var lines: [String] = []

    package init() {}

    /// Adds the newest line, and drops the oldest of too many.
    package mutating func append(_ line: String) {
        if lines.count == CodedFailure.lineLimit { lines.removeFirst() }
        lines.append(line)
    }

    /// The lines, which are then sent.
    package mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
