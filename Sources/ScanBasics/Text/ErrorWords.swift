extension String {
    /// The description of an error of a user's code, in one line of at most `limit` characters; the name of its type if
    /// it has none.
    package init(words error: any Error, limit: Int = 1000) {
        let words = String(describing: error)
        // Only so many characters are looked at: a description may have megabytes.
        let line = String(words.prefix(limit).map { $0.isNewline ? " " : $0 })
        let isBlank = line.allSatisfy(\.isWhitespace)
        self = isBlank ? String(describing: type(of: error)) : line + (words.count > line.count ? "…" : "")
    }
}
