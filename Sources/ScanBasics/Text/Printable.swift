extension String {
    /// The text in one line with control characters replaced, since a name from an unauthenticated peer must not
    /// control a terminal. All that a command prints goes through this or ``printableLines``.
    package var printable: String { isPlain(lines: false) ? self : replaced(lines: false) }

    /// The text with control characters replaced, except line feeds and tabs.
    package var printableLines: String { isPlain(lines: true) ? self : replaced(lines: true) }

    /// Fast path: most texts are printable ASCII, which is checked faster by bytes.
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
    /// Whether the character is visible and does not change how other text is shown.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
