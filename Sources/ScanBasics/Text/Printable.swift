extension String {
    /// The text with control characters replaced, since a name from an unauthenticated peer must not control a
    /// terminal. In one line: all that a command prints goes through this or ``printableLines``.
    package var printable: String { isPlain(lines: false) ? self : replaced(lines: false) }

    /// The same for a text of several lines.
    package var printableLines: String { isPlain(lines: true) ? self : replaced(lines: true) }

    /// Most texts are printable ASCII, which is found faster by bytes.
    private func isPlain(lines: Bool) -> Bool {
        utf8.allSatisfy { byte in
            UInt8(ascii: " ")...UInt8(ascii: "~") ~= byte
                || lines && (byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t"))
        }
    }

    private func replaced(lines: Bool) -> String {
        String(
            UnicodeScalarView(
                unicodeScalars.map { scalar in
                    lines && (scalar == "\n" || scalar == "\t") || scalar.isPrintable ? scalar : "\u{fffd}"
                }))
    }
}

extension Unicode.Scalar {
    /// Whether it is shown, and changes nothing of what else is.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
