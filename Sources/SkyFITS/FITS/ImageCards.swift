/// The cards that apply to an image: those of its header, and the inherited ones of the primary header.
public struct ImageCards: Hashable, Sendable {
    /// The image's own header.
    public let header: FITSHeader
    /// The primary header of its file; empty if the image does not inherit it.
    public let primary: FITSHeader
    /// Whether the samples are integers.
    public let holdsIntegers: Bool

    /// The value of a card.
    public struct Value: Equatable, Sendable {
        /// The value as a number, quoted or not; nil for other text.
        public var number: Double?
        /// The value as text without quotes.
        public var words: String
        /// Whether the card is in the primary header.
        public var isInherited = false

        package init(number: Double?, words: String, isInherited: Bool = false) {
            (self.number, self.words, self.isInherited) = (number, words, isInherited)
        }
    }

    /// Creates the cards of an image. With `INHERIT = F`, the primary header is ignored.
    public init(header: FITSHeader, primary: FITSHeader = FITSHeader(bytes: []), holdsIntegers: Bool = false) {
        self.header = header
        self.primary = header.words("INHERIT") == "F" ? FITSHeader(bytes: []) : primary
        self.holdsIntegers = holdsIntegers
    }

    /// Returns the value of the first card of `keyword`, in the image's header or else in the primary header.
    public func value(_ keyword: String) -> Value? {
        for (cards, isInherited) in [(header, false), (primary, true)] {
            if let words = cards.words(keyword) {
                return Value(number: cards.number(keyword), words: words, isInherited: isInherited)
            }
        }
        return nil
    }
}
