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

extension ValueForm where Value == Duration {
    /// Parses a number followed by `s`, `m` or `h`.
    package static var duration: ValueForm {
        ValueForm(
            placeholder: "TIME", expected: "a time, as in 90s, 10m or 2h",
            parse: { text in
                let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
                guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()),
                    (0...1e6).contains(number)
                else { return nil }
                return .seconds(number * unit)
            }, show: { "\(plainText($0 / .seconds(1)))s" })
    }
}

extension ValueForm where Value == Int {
    /// Parses a number of slots, or a percentage of the processors.
    package static var slots: ValueForm {
        ValueForm(
            placeholder: "N|N%",
            expected: "a whole number from 1 to 1024, or a percentage of the processors, as in 50%",
            parse: { text in
                if !text.hasSuffix("%") { return Int(text).flatMap { (1...1024).contains($0) ? $0 : nil } }
                return percentage(text, of: ProcessInfo.processInfo.activeProcessorCount)
            }, show: { String($0) })
    }

    /// Parses a size in bytes such as `8G`, or a percentage of the memory.
    package static var bytes: ValueForm {
        ValueForm(
            placeholder: "SIZE|N%", expected: "at least 64M: a size, as in 512M or 8G, or a percentage of the memory",
            parse: { text in
                let units: [Character: Int] = ["M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
                let bytes =
                    text.hasSuffix("%")
                    ? percentage(text, of: Int(ProcessInfo.processInfo.physicalMemory))
                    : text.last.flatMap { units[$0] }.flatMap { unit in
                        Double(text.dropLast()).flatMap { (0...1e6).contains($0) ? Int($0 * Double(unit)) : nil }
                    }
                return bytes.flatMap { $0 >= 64 << 20 ? $0 : nil }
            }, show: { "\($0 >> 20)M" })
    }

    /// Returns a percentage of `whole`, at least 1, or nil unless the text is a number above 0 and up to 100, followed
    /// by `%`.
    private static func percentage(_ text: String, of whole: Int) -> Int? {
        guard let number = Double(text.dropLast()), number > 0, number <= 100 else { return nil }
        return max(1, Int(Double(whole) * number / 100))
    }
}
