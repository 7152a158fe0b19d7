/// The cards that hold for an image: those of its header, and those of the primary header that it inherits.
public struct ImageCards: Hashable, Sendable {
    /// The image's own header.
    public let header: FITSHeader
    /// The primary header of its file; without cards if the image inherits none.
    public let primary: FITSHeader
    /// Whether the samples are integers.
    public let holdsIntegers: Bool

    /// What a card holds.
    public struct Value: Equatable, Sendable {
        /// The number, quoted or not; nil for other words.
        public var number: Double?
        /// The words, without quotes.
        public var words: String
        /// Whether it is a card of the primary header.
        public var isInherited = false
    }

    /// The cards of an image; with `INHERIT = F` those of its own header.
    public init(header: FITSHeader, primary: FITSHeader = FITSHeader(bytes: []), holdsIntegers: Bool = false) {
        self.header = header
        self.primary = header.words("INHERIT") == "F" ? FITSHeader(bytes: []) : primary
        self.holdsIntegers = holdsIntegers
    }

    /// What the first card of `keyword` holds: of the image's header, else of the primary one.
    public func value(_ keyword: String) -> Value? {
        for (cards, isInherited) in [(header, false), (primary, true)] {
            if let words = cards.words(keyword) {
                return Value(number: cards.number(keyword), words: words, isInherited: isInherited)
            }
        }
        return nil
    }
}
