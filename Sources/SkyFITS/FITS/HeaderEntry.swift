/// A keyword, its value and a comment, to be written to a header.
public struct HeaderEntry: Hashable, Sendable {
    /// A value of one of the FITS types.
    public enum Value: Hashable, Sendable {
        /// A string of any length; characters other than printable ASCII become `?` in FITS.
        case text(String)
        /// An integer of 64 bits.
        case integer(Int)
        /// A real number, written with enough digits to be read back exactly.
        case real(Double)
        /// A logical value: T or F.
        case logical(Bool)
    }

    /// Up to eight characters of A-Z, 0-9, `-` and `_`, or a longer name that becomes a HIERARCH card.
    public var key: String
    /// The value of the keyword.
    public var value: Value
    /// A comment, truncated at the end of the card.
    public var comment: String

    /// Creates an entry, by default without a comment.
    public init(_ key: String, _ value: Value, comment: String = "") {
        self.key = key
        self.value = value
        self.comment = comment
    }
}
