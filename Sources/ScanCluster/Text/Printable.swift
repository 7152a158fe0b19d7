extension String {
    /// The text with control characters replaced, since a name from an unauthenticated peer must not control a
    /// terminal.
    package var printable: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result.append("\u{fffd}")
            default:
                result.append(scalar)
            }
        }
        return String(result)
    }
}
