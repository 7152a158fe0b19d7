/// A word, string or sign of a condition, with its place.
struct ConditionToken: Equatable {
    enum Kind: Equatable {
        /// A keyword, a number, or a word of the grammar.
        case word(String)
        /// A string in quotes, without them.
        case string(String)
        case relation(HeaderCondition.Relation)
        case open, close, comma, end
    }

    var kind: Kind
    /// Characters before it in the text.
    var offset: Int

    /// Whether it is this word of the grammar, in small or capital letters.
    func isWord(_ word: String) -> Bool { if case .word(let text) = kind { text.lowercased() == word } else { false } }
}

/// Divides the text of a condition into tokens.
struct ConditionLexer {
    let text: [Character]
    private var place = 0

    /// Characters of the longest condition.
    private static let longest = 4000

    init(_ text: String) throws(ConditionError) {
        self.text = Array(text)
        if self.text.count > Self.longest {
            throw ConditionError("the condition has more than \(Self.longest) characters", at: 0, of: self.text)
        }
    }

    func error(_ message: String, at offset: Int) -> ConditionError { ConditionError(message, at: offset, of: text) }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_-+.".contains(character))
    }

    /// The tokens of the text, the last of which is ``ConditionToken/Kind/end``.
    mutating func tokens() throws(ConditionError) -> [ConditionToken] {
        var tokens: [ConditionToken] = []
        while place < text.count {
            if text[place].isWhitespace {
                place += 1
            } else {
                let offset = place
                tokens.append(ConditionToken(kind: try next(), offset: offset))
            }
        }
        return tokens + [ConditionToken(kind: .end, offset: text.count)]
    }

    private mutating func next() throws(ConditionError) -> ConditionToken.Kind {
        let start = place
        let first = text[start]
        if Self.isOfWord(first) {
            while place < text.count, Self.isOfWord(text[place]) { place += 1 }
            return .word(String(text[start..<place]))
        }
        if first == "'" || first == "\"" { return .string(try string(first)) }
        if let relation = relation() { return .relation(relation) }
        place += 1
        switch first {
        case "(": return .open
        case ")": return .close
        case ",": return .comma
        case "\u{2018}", "\u{2019}", "\u{201c}", "\u{201d}":
            throw error("a string has straight quotes: ' or \"", at: start)
        default: throw error("unexpected character; a string needs quotes, as in 'M 31'", at: start)
        }
    }

    /// The relation at the place, which moves behind it; nil if there is none.
    private mutating func relation() -> HeaderCondition.Relation? {
        let signs: [(String, HeaderCondition.Relation)] = [
            ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("!=", .unequal), ("<>", .unequal), ("==", .equal),
            ("=", .equal), ("<", .less), (">", .greater),
        ]
        for (sign, relation) in signs where text[place...].starts(with: sign) {
            place += sign.count
            return relation
        }
        return nil
    }

    /// The string that begins at the place with `quote`. A doubled quote stands for one.
    private mutating func string(_ quote: Character) throws(ConditionError) -> String {
        let start = place
        place += 1
        var string = ""
        while place < text.count {
            let character = text[place]
            place += 1
            if character == quote {
                guard place < text.count, text[place] == quote else {
                    while string.last == " " { string.removeLast() }
                    return string
                }
                place += 1
            }
            string.append(character)
        }
        throw error("the string has no closing quote \(quote)", at: start)
    }
}
