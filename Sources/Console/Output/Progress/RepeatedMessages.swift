/// Messages about the same cause, of which the first is shown and the others are counted. Pure.
package struct RepeatedMessages: Equatable, Sendable {
    private var counts: [String: Int] = [:]
    /// In the order of their first messages.
    private var causes: [StyledText] = []

    package init() {}

    /// Whether this message about `cause` is the first one; otherwise it is counted.
    package mutating func isFirst(_ cause: StyledText) -> Bool {
        guard let count = counts[cause.plain] else {
            counts[cause.plain] = 0
            causes.append(cause)
            return true
        }
        counts[cause.plain] = count + 1
        return false
    }

    /// A line for each cause whose messages were counted.
    package var lines: [StyledText] {
        causes.compactMap { cause in
            guard let count = counts[cause.plain], count > 0 else { return nil }
            return "\(cause) (\(HumanFormat.count(count, "more time")))"
        }
    }
}
