/// Parses a condition: `or` of `and` of tests, each of which may follow `not` or be a condition in parentheses.
struct ConditionParser {
    private typealias Term = HeaderCondition.Term
    private typealias Test = HeaderCondition.Test
    private typealias Literal = HeaderCondition.Literal

    private let lexer: ConditionLexer
    private let tokens: [ConditionToken]
    private var place = 0

    /// Parentheses and `not` within each other: a limit for the stack.
    private static let deepest = 100

    init(_ text: String) throws(ConditionError) {
        var lexer = try ConditionLexer(text)
        tokens = try lexer.tokens()
        self.lexer = lexer
    }

    /// Parses the whole text.
    mutating func condition() throws(ConditionError) -> HeaderCondition.Term {
        let term = try alternatives(depth: 0)
        switch next.kind {
        case .end: return term
        case .close: throw error("this parenthesis was not opened")
        default: throw error("expected and, or, or the end of the condition")
        }
    }

    private var next: ConditionToken { tokens[place] }

    private func error(_ message: String) -> ConditionError { lexer.error(message, at: next.offset) }

    /// Moves behind the next token if it is this word.
    private mutating func takes(_ word: String) -> Bool {
        guard next.isWord(word) else { return false }
        place += 1
        return true
    }

    private mutating func takes(_ kind: ConditionToken.Kind) -> Bool {
        guard next.kind == kind else { return false }
        place += 1
        return true
    }

    private mutating func alternatives(depth: Int) throws(ConditionError) -> Term {
        var terms = [try factors(depth: depth)]
        while takes("or") { terms.append(try factors(depth: depth)) }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private mutating func factors(depth: Int) throws(ConditionError) -> Term {
        var terms = [try factor(depth: depth)]
        while takes("and") { terms.append(try factor(depth: depth)) }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func factor(depth: Int) throws(ConditionError) -> Term {
        if depth > Self.deepest { throw error("more than \(Self.deepest) parentheses within each other") }
        if takes("not") { return .not(try factor(depth: depth + 1)) }
        guard takes(.open) else { return try test() }
        let term = try alternatives(depth: depth + 1)
        guard takes(.close) else { throw error("expected and, or, or a closing parenthesis") }
        return term
    }

    private mutating func test() throws(ConditionError) -> Term {
        let name = try name()
        if case .relation(let relation) = next.kind {
            place += 1
            let offset = next.offset
            let literal = try literal()
            if case .logical = literal, relation.isOrder {
                throw lexer.error("T and F are compared by = or != only", at: offset)
            }
            return .test(name, .compare(relation, literal))
        }
        if takes("is") {
            let isNegated = takes("not")
            guard takes("missing") else { throw error("expected missing, as in FILTER is missing") }
            return isNegated ? .not(.test(name, .isMissing)) : .test(name, .isMissing)
        }
        let isNegated = takes("not")
        let test: Test
        if takes("in") {
            test = .isAmong(try list())
        } else if next.isWord("like") || next.isWord("ilike") {
            let ignoresCase = next.isWord("ilike")
            place += 1
            guard case .string(let pattern) = next.kind else {
                throw error("expected a pattern in quotes, as in like 'M 31*'")
            }
            place += 1
            test = .isLike(.init(pattern, ignoresCase: ignoresCase))
        } else {
            throw error(
                isNegated
                    ? "expected in, like or ilike" : "expected =, !=, <, <=, >, >=, in, like, ilike or is missing")
        }
        return isNegated ? .not(.test(name, test)) : .test(name, test)
    }

    private mutating func name() throws(ConditionError) -> CardName {
        switch next.kind {
        case .word(let word):
            if ["and", "or"].contains(word.lowercased()) { break }
            if word.lowercased() == "hierarch" { return try hierarchicalName() }
            return try name(word)
        case .string(let text):
            throw error("expected a keyword without quotes, such as \(text.isEmpty ? "FILTER" : text.uppercased())")
        case .end: throw error("expected a test, as in FILTER = 'r'")
        default: break
        }
        throw error("expected a keyword, such as FILTER")
    }

    private mutating func name(_ word: String) throws(ConditionError) -> CardName {
        if word.contains("+") || word.split(separator: ".", omittingEmptySubsequences: false).contains("") {
            throw error(
                "\(word) is no keyword: it has letters, digits, - and _, and dots between the words of HIERARCH")
        }
        place += 1
        return CardName(word.utf8)
    }

    /// The words after HIERARCH, to a relation or a word of the grammar.
    private mutating func hierarchicalName() throws(ConditionError) -> CardName {
        place += 1
        var words: [String] = []
        while case .word(let word) = next.kind, !["in", "like", "ilike", "is", "not"].contains(word.lowercased()) {
            words.append(word)
            place += 1
        }
        if words.isEmpty { throw error("expected the words of a HIERARCH keyword, as in HIERARCH ESO DET DIT") }
        return CardName(words.joined(separator: " ").utf8)
    }

    private mutating func list() throws(ConditionError) -> [Literal] {
        guard takes(.open) else { throw error("expected a list in parentheses, as in ('g', 'r')") }
        var literals: [Literal] = []
        repeat { literals.append(try literal()) } while takes(.comma)
        guard takes(.close) else { throw error("expected a comma or a closing parenthesis") }
        return literals
    }

    private mutating func literal() throws(ConditionError) -> Literal {
        switch next.kind {
        case .string(let text):
            place += 1
            return .text(text)
        case .word(let word):
            if word == "T" || word == "F" {
                place += 1
                return .logical(word == "T")
            }
            guard let number = Literal(number: word) else { throw error("a string needs quotes: '\(word)'") }
            place += 1
            return number
        case .end: throw error("expected a value: a string in quotes, a number, T or F")
        default: throw error("expected a value: a string in quotes, a number, T or F")
        }
    }
}
