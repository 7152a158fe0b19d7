extension HeaderCondition {
    /// A value in a condition.
    enum Literal: Equatable, Sendable {
        /// A string without its trailing spaces, which are not significant in FITS.
        case text(String)
        /// A number; `integer` is its exact value if it is a whole number of 64 bits.
        case number(Double, integer: Int64?)
        case logical(Bool)

        enum Order: Equatable {
            case less, equal, greater
        }

        /// A number with the characters `word`; nil if they are none.
        init?(number word: some StringProtocol) {
            guard let number = HeaderCard.number(word) else { return nil }
            self = .number(number, integer: Int64(word))
        }

        /// The order of a card's value and this one; nil if they are of different kinds.
        ///
        /// A number in quotes, here or in the header, counts as a number if the other value is one without quotes.
        func order(of value: HeaderCard.Value) -> Order? {
            switch (value, self) {
            case (.text(let text), .text(let other)):
                return Self.order(Array(text.utf8), Array(other.utf8))
            case (.number(_, let word), .text(let text)):
                return Self.order(Literal(number: word), Literal(number: Self.trimmed(text)))
            case (.number(_, let word), .number): return Self.order(Literal(number: word), self)
            case (.text(let text), .number): return Self.order(Literal(number: Self.trimmed(text)), self)
            case (.logical(let flag), .logical(let other)): return flag == other ? .equal : flag ? .greater : .less
            default: return nil
            }
        }

        private static func order(_ value: Literal?, _ other: Literal?) -> Order? {
            guard case .number(let number, let integer) = value, case .number(let second, let whole) = other else {
                return nil
            }
            // A double holds not every integer of 64 bits.
            if let integer, let whole { return integer == whole ? .equal : integer < whole ? .less : .greater }
            return number == second ? .equal : number < second ? .less : .greater
        }

        private static func order(_ text: [UInt8], _ other: [UInt8]) -> Order {
            text == other ? .equal : text.lexicographicallyPrecedes(other) ? .less : .greater
        }

        private static func trimmed(_ text: String) -> Substring {
            var rest = text.drop { $0 == " " }
            while rest.last == " " { rest.removeLast() }
            return rest
        }
    }

    /// A pattern for a whole string: `*` stands for any characters, `?` for one.
    struct Wildcard: Equatable, Sendable {
        private let pattern: [UInt8]
        private let ignoresCase: Bool

        /// A pattern, without its trailing spaces.
        init(_ text: String, ignoresCase: Bool) {
            pattern = Array((ignoresCase ? text.lowercased() : text).utf8)
            self.ignoresCase = ignoresCase
        }

        func matches(_ text: String) -> Bool {
            let text = Array((ignoresCase ? text.lowercased() : text).utf8)
            var (place, next) = (0, 0)
            // Where the last `*` is, and how far it reaches: only the last one needs to be tried again.
            var star: (next: Int, place: Int)?
            while place < text.count {
                if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                    star = (next, place)
                    next += 1
                } else if next < pattern.count, [text[place], UInt8(ascii: "?")].contains(pattern[next]) {
                    (place, next) = (place + 1, next + 1)
                } else if let last = star {
                    star = (last.next, last.place + 1)
                    (place, next) = (last.place + 1, last.next + 1)
                } else {
                    return false
                }
            }
            return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
        }
    }
}
