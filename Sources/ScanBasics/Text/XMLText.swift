extension String {
    /// Escapes the text for an XML document: `&`, `<`, `>` and the characters of `references` become references;
    /// control characters that XML does not allow become `?`.
    package func escapedForXML(_ references: [Unicode.Scalar: String] = [:]) -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{0}"..."\u{8}", "\u{b}", "\u{c}", "\u{e}"..."\u{1f}", "\u{fffe}", "\u{ffff}": result += "?"
            default:
                if let reference = references[scalar] {
                    result += reference
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
