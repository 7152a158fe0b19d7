import ScanBasics

/// Quantities formatted for people.
package enum HumanFormat {
    /// Upper limit in seconds: a peer may send any number.
    private static let longest = 1e12

    /// Formats a duration: `12 s`, `3:05`, `1:02:03`; with tenths below ten seconds.
    package static func duration(seconds: Double) -> String {
        guard seconds >= 0, seconds < longest else { return "?" }
        if seconds < 9.95 { return "\(seconds.fixed(1)) s" }
        let whole = Int(seconds.rounded())
        if whole < 60 { return "\(whole) s" }
        let (minutes, rest) = (whole / 60 % 60, twoDigits(whole % 60))
        return whole < 3600 ? "\(minutes):\(rest)" : "\(whole / 3600):\(twoDigits(minutes)):\(rest)"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Formats an age in its largest unit: `12 s`, `5 min`, `3 h`, `20 d`.
    package static func age(seconds: Double) -> String {
        guard seconds >= 0, seconds < longest else { return "?" }
        let units: [(String, Double)] = [("d", 86_400), ("h", 3600), ("min", 60)]
        let (name, unit) = units.first { seconds >= $0.1 } ?? ("s", 1)
        return "\(Int(seconds / unit)) \(name)"
    }

    /// Formats a duration with three digits: `12.3 us`, `4.56 ms`, `1.23 s`; longer ones like ``duration(seconds:)``.
    package static func measurement(seconds: Double) -> String {
        if seconds >= 59.95 { return duration(seconds: seconds) }
        let (unit, name) = seconds < 0.9995e-3 ? (1e-6, "us") : seconds < 0.9995 ? (1e-3, "ms") : (1, "s")
        let value = seconds / unit
        return "\(threeDigits(value)) \(name)"
    }

    /// Formats a value with three digits and a decimal prefix: `1.23 M`, `45.6 k`, `789`.
    package static func quantity(_ value: Double) -> String {
        let prefixes: [(Double, String)] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
        for (unit, prefix) in prefixes where value.magnitude >= unit * 0.9995 {
            let scaled = value / unit
            return "\(threeDigits(scaled)) \(prefix)"
        }
        return value == value.rounded() ? String(Int(value)) : value.fixed(1)
    }

    private static func threeDigits(_ value: Double) -> String {
        value.fixed(value.magnitude < 9.995 ? 2 : value.magnitude < 99.95 ? 1 : 0)
    }

    /// Formats a fraction as a percentage: `12 %`, or with `digits` digits after the point.
    package static func percent(_ share: Double, digits: Int = 0) -> String { "\((share * 100).fixed(digits)) %" }

    /// Formats a rate: `12.3 Mpix/s`.
    package static func pixelRate(_ pixelsPerSecond: Double) -> String { pixelCount(pixelsPerSecond) + "/s" }

    /// Formats a number of pixels: `12.3 Mpix`.
    static func pixelCount(_ pixels: Double) -> String {
        let text = quantity(pixels)
        return (text.contains(" ") ? text : text + " ") + "pix"
    }

    /// Formats a number of bytes: `1.20 GB`.
    package static func byteCount(_ bytes: Int) -> String {
        let text = quantity(Double(bytes))
        return (text.contains(" ") ? text : text + " ") + "B"
    }

    /// Joins names: `a`, `a and b`, `a, b and c`. If there are more than `most + 1`, only the first `most` are listed,
    /// as in `a, b, c and 47 more`.
    package static func list(_ names: [String], most: Int = 3) -> String {
        let isLong = names.count > most + 1
        let shown = isLong ? Array(names.prefix(most)) : names.dropLast()
        let last = isLong ? "\(names.count - most) more" : names.last ?? ""
        return shown.isEmpty ? last : "\(shown.joined(separator: ", ")) and \(last)"
    }

    /// Formats a number with its noun: `1 node`, `2 nodes`.
    package static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : noun.hasSuffix("y") ? "\(number) \(noun.dropLast())ies" : "\(number) \(noun)s"
    }
}
