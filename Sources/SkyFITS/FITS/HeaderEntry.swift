/// A keyword, its value and a comment, for the header of a file to be written.
public struct HeaderEntry: Hashable, Sendable {
    /// A value of one of the types that a FITS card can hold.
    public enum Value: Hashable, Sendable {
        /// Text of any length; characters other than printable ASCII become `?` in FITS.
        case text(String)
        /// An integer.
        case integer(Int)
        /// A real number, written with enough digits to be read back exactly.
        case real(Double)
        /// True or false.
        case logical(Bool)
    }

    /// At most eight of A–Z, 0–9, `-` and `_`, or a longer name that becomes a HIERARCH card.
    public var key: String
    /// The value.
    public var value: Value
    /// A comment, truncated at the end of the card.
    public var comment: String

    /// An entry.
    public init(_ key: String, _ value: Value, comment: String = "") {
        self.key = key
        self.value = value
        self.comment = comment
    }
}
