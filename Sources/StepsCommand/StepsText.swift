package import CommandLineKit

/// The text of a file of steps: `[variables]` and `[[step]]`, whose values are strings or arrays of strings. It is valid
/// TOML, of which only this part is read. Pure.
package struct StepsText: Equatable, Sendable {
    /// A value with the line where it begins.
    package struct Value: Equatable, Sendable {
        package var line: Int
        /// The word of a string, or the words of an array.
        package var words: [String]
        package var isArray: Bool
    }

    /// A step as it is written.
    package struct Table: Equatable, Sendable {
        package var line: Int
        package var values: [String: Value] = [:]
    }

    package private(set) var variables: [String: Value] = [:]
    package private(set) var steps: [Table] = []

    private enum Place { case none, variables, step }

    private var rest: Substring
    private var line = 1
    private let name: String

    /// Parses the text of the file `name`.
    /// - Throws: `UsageError`, which names the line.
    package init(_ text: String, name: String) throws(UsageError) {
        (rest, self.name) = (text[...], name)
        var place = Place.none
        while skipBlank(overLines: true) {
            if rest.first == "[" {
                place = try header()
            } else {
                try pair(in: place)
            }
            try endLine()
        }
    }

    private func fault(_ words: String) -> UsageError { UsageError("\(name):\(line): \(words)") }

    /// Skips spaces and a comment; and, if `overLines`, line ends and further ones.
    /// - Returns: whether something is left.
    private mutating func skipBlank(overLines: Bool) -> Bool {
        while let character = rest.first {
            if character == "#" {
                rest = rest.drop { !$0.isNewline }
            } else if character.isNewline {
                guard overLines else { return true }
                line += 1
                rest.removeFirst()
            } else if character == " " || character == "\t" {
                rest.removeFirst()
            } else {
                return true
            }
        }
        return false
    }

    private mutating func endLine() throws(UsageError) {
        if skipBlank(overLines: false), rest.first?.isNewline != true {
            throw fault("text after the value: \(rest.prefix { !$0.isNewline }.prefix(40))")
        }
    }

    private mutating func header() throws(UsageError) -> Place {
        let words = String(rest.prefix { !$0.isNewline && $0 != "#" }).filter { $0 != " " && $0 != "\t" }
        rest = rest.drop { !$0.isNewline && $0 != "#" }
        switch words {
        case "[variables]": return .variables
        case "[[step]]":
            steps.append(Table(line: line))
            return .step
        default: throw fault("\(words) is neither [variables] nor [[step]]")
        }
    }

    private mutating func pair(in place: Place) throws(UsageError) {
        let start = line
        let key = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
        rest = rest.dropFirst(key.count)
        guard !key.isEmpty, skipBlank(overLines: false), rest.popFirst() == "=", skipBlank(overLines: false) else {
            throw fault("expected a line such as name = \"value\"")
        }
        let value = try value(from: start)
        switch place {
        case .none: throw fault("\(key): write [variables] or [[step]] above it")
        case .variables:
            if value.isArray { throw fault("the variable \(key) is a string, not an array") }
            if variables.updateValue(value, forKey: key) != nil { throw fault("the variable \(key) is there twice") }
        case .step:
            let keys = ["name", "command", "after"]
            guard keys.contains(key) else {
                throw fault("a step has no \"\(key)\"\(suggestion(for: key, among: keys)); it has name, command, after")
            }
            if steps[steps.count - 1].values.updateValue(value, forKey: key) != nil {
                throw fault("the step has \(key) twice")
            }
        }
    }

    private mutating func value(from start: Int) throws(UsageError) -> Value {
        guard rest.first == "[" else { return Value(line: start, words: [try string()], isArray: false) }
        rest.removeFirst()
        var words: [String] = []
        while skipBlank(overLines: true), rest.first != "]" {
            words.append(try string())
            guard skipBlank(overLines: true) else { break }
            if rest.first == "," {
                rest.removeFirst()
            } else if rest.first != "]" {
                throw fault("expected a comma or ] after \"\(words.last ?? "")\"")
            }
        }
        guard rest.popFirst() == "]" else { throw fault("the array that begins in line \(start) has no end") }
        return Value(line: start, words: words, isArray: true)
    }

    private mutating func string() throws(UsageError) -> String {
        guard let quote = rest.first, quote == "\"" || quote == "'" else {
            throw fault("expected a string in quotes, or an array of such strings")
        }
        rest.removeFirst()
        if rest.hasPrefix("\(quote)\(quote)") { throw fault("strings of several lines are not read; write an array") }
        var text = ""
        while let character = rest.popFirst(), !character.isNewline {
            if character == quote { return text }
            guard character == "\\", quote == "\"" else {
                text.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\"": text.append("\"")
            case "\\": text.append("\\")
            case "n": text.append("\n")
            case "t": text.append("\t")
            default: throw fault("only \\\", \\\\, \\n and \\t follow a backslash; in '...' it stands for itself")
            }
        }
        throw fault("the string has no closing \(quote)")
    }
}
