/// A condition on the header cards of images, such as `IMAGETYP = 'LIGHT' and EXPTIME >= 30`.
///
/// `Docs/Scan.md` has the grammar. A comparison with a card that is missing, or whose value cannot be read, is neither
/// true nor false, and stays so after `not`: logic is that of Kleene's three values. An image is selected if the
/// condition is true.
package struct HeaderCondition: Equatable, Sendable {
    /// A part of the condition.
    indirect enum Term: Equatable, Sendable {
        case all([Term])
        case any([Term])
        case not(Term)
        case test(CardName, Test)
    }

    /// A question about the value of one card.
    enum Test: Equatable, Sendable {
        case compare(Relation, Literal)
        case isAmong([Literal])
        case isLike(Wildcard)
        case isMissing
    }

    /// A relation between two values.
    enum Relation: String, Sendable {
        case equal = "="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// Whether it asks which value is less.
        var isOrder: Bool { self != .equal && self != .unequal }
    }

    /// The result of a condition for one image.
    package struct Verdict: Equatable, Sendable {
        /// Whether the condition is true; nil if it is neither true nor false.
        package var isTrue: Bool?
        /// The values of the cards that made it so, such as `FILTER is 'i'`; no text if the condition is true.
        package var reason: String
    }

    /// The condition as it was given.
    package let text: String
    let term: Term
    /// The cards that it asks for, without repetition.
    let names: [CardName]

    /// Parses a condition.
    /// - Throws: ``ConditionError``, which shows the place in the text.
    package init(_ text: String) throws(ConditionError) {
        var parser = try ConditionParser(text)
        term = try parser.condition()
        self.text = text
        names = Self.names(in: term).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    package static func == (left: HeaderCondition, right: HeaderCondition) -> Bool { left.term == right.term }

    private static func names(in term: Term) -> [CardName] {
        switch term {
        case .all(let terms), .any(let terms): terms.flatMap(names)
        case .not(let term): names(in: term)
        case .test(let name, _): [name]
        }
    }

    /// Decides the condition for an image with this header, as it is stored or as CFITSIO converts that of a compressed
    /// image. `primary` is the primary header of its file, whose cards an extension inherits unless it has `INHERIT = F`;
    /// nil for the image of the primary HDU.
    package func verdict(header: FITSHeader, primary: FITSHeader?) -> Verdict {
        let cards = SelectedCards(names, in: header, primary: primary)
        let (truth, deciding) = Self.decide(term, cards)
        if truth == true { return Verdict(isTrue: true, reason: "") }
        let shown = deciding.reduce(into: [CardName]()) { if !$0.contains($1) { $0.append($1) } }
        let words = shown.prefix(Self.shownCards).map { "\($0.words) \(Self.words(cards[$0]))" }
        return Verdict(isTrue: truth, reason: words.joined(separator: ", "))
    }

    /// Cards that a reason names at most.
    private static let shownCards = 4

    /// Decides a term, and names the cards that decided it if it is not true.
    private static func decide(_ term: Term, _ cards: SelectedCards) -> (truth: Bool?, deciding: [CardName]) {
        switch term {
        case .test(let name, let test): return (test.decide(cards[name]), [name])
        case .not(let term):
            let (truth, deciding) = decide(term, cards)
            return (truth.map(!), deciding)
        case .all(let terms):
            var open: [CardName] = []
            for term in terms {
                let (truth, deciding) = decide(term, cards)
                if truth == false { return (false, deciding) }
                if truth == nil { open += deciding }
            }
            return (open.isEmpty ? true : nil, open.isEmpty ? names(in: term) : open)
        case .any(let terms):
            var (open, wrong): ([CardName], [CardName]) = ([], [])
            for term in terms {
                let (truth, deciding) = decide(term, cards)
                if truth == true { return (true, deciding) }
                if truth == nil { open += deciding } else { wrong += deciding }
            }
            return open.isEmpty ? (false, wrong) : (nil, open)
        }
    }

    private static func words(_ value: HeaderCard.Value?) -> String {
        switch value {
        case nil, .undefined: "is missing"
        case .malformed: "has no valid value"
        case .text(let text): "is '\(text)'"
        case .number(_, let word): "is \(word)"
        case .logical(let flag): "is \(flag ? "T" : "F")"
        }
    }
}

extension HeaderCondition.Test {
    /// Answers the question for a card's value; nil if it has no answer.
    func decide(_ value: HeaderCard.Value?) -> Bool? {
        let isMissing = value == nil || value == .undefined
        if self == .isMissing { return isMissing }
        guard let value, !isMissing, value != .malformed else { return nil }
        switch self {
        case .isMissing: return isMissing
        case .compare(let relation, let literal): return relation.holds(literal.order(of: value), value, literal)
        case .isAmong(let literals): return literals.contains { $0.order(of: value) == .equal }
        case .isLike(let wildcard):
            switch value {
            case .text(let text): return wildcard.matches(text)
            case .number(_, let word): return wildcard.matches(word)
            case .logical, .undefined, .malformed: return false
            }
        }
    }
}

extension HeaderCondition.Relation {
    /// Whether the relation holds for values in this order; nil if they are of different kinds, of which none is less.
    fileprivate func holds(
        _ order: HeaderCondition.Literal.Order?, _ value: HeaderCard.Value, _ literal: HeaderCondition.Literal
    ) -> Bool? {
        switch self {
        case .equal: order == .equal
        case .unequal: order != .equal
        case .less: order.map { $0 == .less }
        case .lessOrEqual: order.map { $0 != .greater }
        case .greater: order.map { $0 == .greater }
        case .greaterOrEqual: order.map { $0 != .less }
        }
    }
}
