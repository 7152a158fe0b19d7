/// A manual page in roff, with the macros of man(7).
package struct RoffText: Sendable {
    package private(set) var lines: [String]
    /// Whether the last line is a heading. A paragraph macro directly after it has no effect and is left out.
    private var isAfterHeading = false

    /// Creates a page of section 1.
    package init(title: String, date: String, source: String, manual: String) {
        // The date is not escaped: man does not recognise a date with escaped dashes.
        let arguments = [Self.quoted(title.uppercased()), "1", "\"\(date)\"", Self.quoted(source), Self.quoted(manual)]
        lines = [".TH " + arguments.joined(separator: " ")]
    }

    package var text: String { lines.joined(separator: "\n") + "\n" }

    package mutating func section(_ title: String) { heading(".SH", title.uppercased()) }

    mutating func subsection(_ title: String) { heading(".SS", title) }

    private mutating func heading(_ macro: String, _ title: String) {
        lines.append("\(macro) \(Self.quoted(title))")
        isAfterHeading = true
    }

    package mutating func paragraph(_ text: String) { paragraph([Self.escaped(text)]) }

    /// Appends a paragraph of escaped lines.
    package mutating func paragraph(_ escaped: [String]) {
        if !isAfterHeading { lines.append(".PP") }
        isAfterHeading = false
        for line in escaped { fill(line) }
    }

    /// Appends an escaped heading with an indented text below it.
    package mutating func item(_ heading: String, _ text: String) {
        lines += [".TP", Self.guarded(heading)]
        isAfterHeading = false
        fill(Self.escaped(text))
    }

    /// Appends text in lines of at most 78 characters; each sentence starts a new line.
    private mutating func fill(_ escaped: String) {
        var sentence = ""
        for word in escaped.split(separator: " ") {
            if sentence.hasSuffix("."), word.first?.isUppercase == true {
                lines += wrap(sentence, indent: 0, width: 78).map(Self.guarded)
                sentence = ""
            }
            sentence += (sentence.isEmpty ? "" : " ") + word
        }
        lines += wrap(sentence, indent: 0, width: 78).map(Self.guarded)
    }

    package static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// Formats a placeholder.
    package static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// Escapes roff's special characters.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case _ where !scalar.isASCII:
                "\\[u\(String(repeating: "0", count: max(0, 4 - hexadecimal(scalar).count)))\(hexadecimal(scalar))]"
            default: String(scalar)
            }
        }.joined()
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        String(scalar.value, radix: 16, uppercase: true)
    }

    /// Quotes an argument of a macro.
    private static func quoted(_ text: String) -> String {
        "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Protects a dot at the start of a line, which would otherwise begin a macro.
    private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
