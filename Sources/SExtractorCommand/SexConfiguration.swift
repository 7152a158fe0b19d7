package import CommandLineKit
import Foundation

/// Values of SExtractor's configuration keys: built-in values, overridden by a file and by the command line.
package struct SexConfiguration: Equatable, Sendable {
    /// The words of a value, and its origin.
    package struct Setting: Equatable, Sendable {
        package var words: [String]
        /// Description of the origin, such as `default.sex:12: DETECT_THRESH`.
        var origin: String
        /// Whether the user gave it.
        var isExplicit = true
    }

    private var settings: [String: Setting] = [:]
    /// Warnings about harmless errors in the configuration.
    package private(set) var warnings: [String] = []
    /// Reasons why values are not supported, by key. They are reported at the end, since later values may replace them.
    private var refusals: [String: String] = [:]

    package init() {
        for key in SexKey.all {
            settings[key.name] = Setting(
                words: Self.words(key.fallback, [:]), origin: key.name, isExplicit: false)
        }
    }

    /// Reads a configuration file. Each line has a key and its value; `#` begins a comment.
    package mutating func read(_ text: String, name: String, environment: [String: String]) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.withoutComment(line)
            let parts = content.split(
                maxSplits: 1, whereSeparator: { $0.isWhitespace || $0 == "=" })
            guard let key = parts.first.map(String.init) else { continue }
            let value = parts.count == 2 ? String(parts[1]) : ""
            set(key, value, origin: "\(name):\(index + 1): \(key)", environment)
        }
    }

    package mutating func set(_ name: String, _ value: String, origin: String, _ environment: [String: String]) {
        guard let key = SexKey.named(name.uppercased()) else {
            warnings.append("\(origin): no such key; ignored")
            return
        }
        let words = Self.words(value, environment)
        refusals[key.name] = nil
        if case .only(let possible) = key.support,
            let other = (words.isEmpty ? [""] : words).first(where: { !possible.contains($0.uppercased()) })
        {
            let list = possible.filter { !$0.isEmpty }.joined(separator: ", ")
            refusals[key.name] =
                "\(origin): \(other.isEmpty ? "no value" : other) is not supported by skyfarm; "
                + (list.isEmpty ? "leave the key out" : "only \(list) is")
        }
        if words.count > 1, Self.scalars.contains(key.name) {
            warnings.append("\(origin): has \(words.count) values; only the first is used")
        }
        settings[key.name] = Setting(words: words, origin: origin)
    }

    /// Keys with a single number. SExtractor uses the first one if there are several.
    private static let scalars: Set = [
        "ASSOC_RADIUS", "BACKPHOTO_THICK", "CLEAN_PARAM", "DEBLEND_MINCONT", "DEBLEND_NTHRESH", "DETECT_MINAREA",
        "GAIN",
        "MAG_ZEROPOINT", "PIXEL_SCALE", "SATUR_LEVEL", "SEEING_FWHM",
    ]

    /// Throws an error for values that would change the catalogue in an unsupported way.
    /// - Throws: `UsageError` that names the origin of the value.
    func requireSupport() throws(UsageError) {
        for key in SexKey.all { if let refusal = refusals[key.name] { throw UsageError(refusal) } }
    }

    private static func withoutComment(_ line: Substring) -> Substring { line.prefix { $0 != "#" } }

    /// Splits a value into words, which are separated by white space and commas, or quoted; `$NAME` is a variable.
    private static func words(_ value: String, _ environment: [String: String]) -> [String] {
        var words: [String] = []
        var rest = value[...]
        while let first = rest.first {
            if first.isWhitespace || first == "," || first == "=" {
                rest.removeFirst()
            } else if first == "\"" || first == "'" {
                rest.removeFirst()
                words.append(String(rest.prefix { $0 != first }))
                rest = rest.drop { $0 != first }.dropFirst()
            } else {
                let word = rest.prefix { !$0.isWhitespace && $0 != "," }
                rest = rest.dropFirst(word.count)
                words.append(word.hasPrefix("$") ? environment[String(word.dropFirst())] ?? "" : String(word))
            }
        }
        return words
    }

    // MARK: - Values

    package subscript(key: String) -> Setting { settings[key] ?? Setting(words: [], origin: key, isExplicit: false) }

    /// Returns the word at `place`, or the last one if there are fewer.
    package func text(_ key: String, at place: Int = 0) throws(UsageError) -> String {
        let setting = self[key]
        guard let last = setting.words.last else { throw UsageError("\(setting.origin): has no value") }
        return place < setting.words.count ? setting.words[place] : last
    }

    /// Returns numbers in `range`, at least one and at most `most`. For a key with a single number, only the first is
    /// used.
    package func numbers(_ key: String, _ range: ClosedRange<Double>, most: Int) throws(UsageError) -> [Double] {
        var setting = self[key]
        if Self.scalars.contains(key) { setting.words = Array(setting.words.prefix(1)) }
        guard (1...most).contains(setting.words.count) else {
            let count = setting.words.isEmpty ? "has no value" : "has \(setting.words.count) values"
            throw UsageError("\(setting.origin): \(count), not \(most == 1 ? "one" : "1 to \(most)")")
        }
        var values: [Double] = []
        for word in setting.words {
            guard let value = Double(word), range.contains(value) else {
                throw UsageError(
                    "\(setting.origin): \"\(word)\" is not a number from \(plainText(range.lowerBound)) to "
                        + plainText(range.upperBound))
            }
            values.append(value)
        }
        return values
    }

    package func number(_ key: String, _ range: ClosedRange<Double>) throws(UsageError) -> Double {
        try numbers(key, range, most: 1)[0]
    }

    /// Returns whole numbers in `range`, at least one and at most `most`. Fractions are truncated, as in SExtractor.
    package func integers(_ key: String, _ range: ClosedRange<Int>, most: Int = 1) throws(UsageError) -> [Int] {
        var values: [Int] = []
        for number in try numbers(key, Double(range.lowerBound)...Double(range.upperBound), most: most) {
            values.append(Int(number.rounded(.towardZero)))
        }
        return values
    }

    func boolean(_ key: String) throws(UsageError) -> Bool {
        let word = try text(key)
        switch word.uppercased() {
        case "Y", "YES", "T", "TRUE": return true
        case "N", "NO", "F", "FALSE": return false
        default: throw UsageError("\(self[key].origin): \"\(word)\" is neither Y nor N")
        }
    }

    /// Returns the value of `choices` that is named by the word at `place`, or by the last one if there are fewer.
    package func choice<Value>(
        _ key: String, _ choices: KeyValuePairs<String, Value>, at place: Int = 0
    ) throws(UsageError) -> Value {
        let word = try text(key, at: place)
        guard let choice = choices.first(where: { $0.key == word.uppercased() }) else {
            let names = choices.map(\.key).joined(separator: ", ")
            throw UsageError("\(self[key].origin): \"\(word)\" is not one of \(names)")
        }
        return choice.value
    }
}
