import ScanCluster

/// Text with highlighted parts, such as node names.
package struct StyledText: Equatable, Sendable {
    package enum Style: Equatable, Sendable {
        case plain, name, warning, error

        /// The terminal's SGR attribute; nil for none.
        var attribute: Int? {
            switch self {
            case .plain: nil
            case .name: 1
            case .warning: 33
            case .error: 31
            }
        }
    }

    private var parts: [Part] = []

    private struct Part: Equatable, Sendable {
        var text: String
        var style: Style
    }

    package init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

    /// Appends text in one line with control characters replaced.
    package mutating func append(_ text: String, _ style: Style) {
        if text.isEmpty { return }
        let text = text.printable
        if parts.last?.style == style {
            parts[parts.count - 1].text += text
        } else {
            parts.append(Part(text: text, style: style))
        }
    }

    package mutating func append(_ other: StyledText) {
        for part in other.parts { append(part.text, part.style) }
    }

    package var plain: String { parts.map(\.text).joined() }

    package var count: Int { parts.reduce(0) { $0 + $1.text.count } }

    /// Returns the first `length` characters.
    package func prefix(_ length: Int) -> StyledText {
        var (result, room) = (StyledText(), max(0, length))
        for part in parts {
            result.append(String(part.text.prefix(room)), part.style)
            room -= min(room, part.text.count)
        }
        return result
    }

    /// Returns the text with escape sequences for a terminal; the style `base` applies to all parts.
    package func colored(_ base: Style = .plain) -> String {
        parts.map { part in
            let attributes = [base, part.style].compactMap(\.attribute).map(String.init)
            return attributes.isEmpty ? part.text : "\u{1b}[\(attributes.joined(separator: ";"))m\(part.text)\u{1b}[m"
        }.joined()
    }
}

extension StyledText: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self.init(text) }

    package init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = StyledText()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text.append(literal, .plain) }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text.append(value.description, .plain)
        }

        package mutating func appendInterpolation(name: String) { text.append(name, .name) }

        package mutating func appendInterpolation(_ other: StyledText) { text.append(other) }
    }
}
