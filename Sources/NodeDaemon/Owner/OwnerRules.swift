package import CommandLineKit
import Foundation

/// Conditions under which a machine's owner lets its node run tasks. A condition that is nil always holds.
package struct OwnerRules: Equatable, Sendable {
    /// Maximum number of processors that other programs keep busy.
    package var maxLoad: Double?
    /// Minimum time since somebody last used the machine.
    package var idle: Duration?
    package var hours: DailyHours?

    package init(maxLoad: Double? = nil, idle: Duration? = nil, hours: DailyHours? = nil) {
        self.maxLoad = maxLoad
        self.idle = idle
        self.hours = hours
    }

    /// Whether the node always runs tasks.
    package var isEmpty: Bool { self == OwnerRules() }
}

/// A daily time interval, which may include midnight.
package struct DailyHours: Equatable, Sendable {
    /// Minutes since midnight.
    package var start: Int
    /// Minutes since midnight, exclusive.
    package var end: Int

    /// Returns whether the interval contains a minute of the day. An interval with equal ends contains all minutes.
    package func contains(_ minute: Int) -> Bool {
        start < end ? start <= minute && minute < end : start <= minute || minute < end
    }
}

extension DailyHours: CustomStringConvertible {
    package var description: String { "\(Self.text(start))-\(Self.text(end))" }

    /// Parses an interval such as `20:00-07:00`; returns nil for any other text.
    package init?(_ text: String) {
        let minutes = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.minute(String($0)) }
        guard minutes.count == 2, let first = minutes[0], let last = minutes[1] else { return nil }
        (start, end) = (first, last)
    }

    private static func minute(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})/), let hour = Int(match.1),
            let minute = Int(match.2), hour < 24 && minute < 60 || (hour, minute) == (24, 0)
        else { return nil }
        return (hour * 60 + minute) % 1440
    }

    private static func text(_ minute: Int) -> String {
        let (hour, rest) = (minute / 60, minute % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension ValueForm where Value == DailyHours {
    package static var hours: ValueForm {
        ValueForm(
            placeholder: "HH:MM-HH:MM", expected: "a part of the day, as in 20:00-07:00", parse: { DailyHours($0) },
            show: \.description)
    }
}
