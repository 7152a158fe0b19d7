/// Suppresses repeated messages about the same cause, and counts them. Performs no I/O.
package struct RepeatedMessages: Equatable, Sendable {
    private var counts: [String: Int] = [:]
    /// Causes in the order of their first messages.
    private var causes: [StyledText] = []

    package init() {}

    /// Returns whether this message about `cause` is the first one; otherwise counts it.
    package mutating func isFirst(_ cause: StyledText) -> Bool {
        guard let count = counts[cause.plain] else {
            counts[cause.plain] = 0
            causes.append(cause)
            return true
        }
        counts[cause.plain] = count + 1
        return false
    }

    /// One line for each cause with suppressed messages.
    package var lines: [StyledText] {
        causes.compactMap { cause in
            guard let count = counts[cause.plain], count > 0 else { return nil }
            return "\(cause) (\(HumanFormat.count(count, "more time")))"
        }
    }
}
