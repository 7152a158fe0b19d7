/// The coded form of one value; see "Coded values" in Docs/Protocol.md.
///
/// A message is a version byte, the length of the body (4 bytes), the body (one value), and the table of the keys that
/// keyed containers of the body name by their position in the table.
package enum WireFormat {
    package static let version: UInt8 = 1
    /// Version and length of the body.
    package static let headerSize = 5
    /// Deepest nesting of containers that the encoder writes.
    package static let encodingDepth = 64
    /// Deepest nesting of values that the decoder accepts, which bounds its recursion for hostile messages. Greater
    /// than the encoder's, because an optional counts as a value here.
    package static let decodingDepth = 3 * encodingDepth

    /// Most keys that the decoder accepts: a key costs it far more time and memory than its bytes. Types have hundreds.
    package static let keyLimit = 1 << 16

    /// First byte of a value.
    package enum Tag: UInt8 {
        case null = 0
        case no = 1
        case yes = 2
        /// Zigzag varint.
        case signed = 3
        /// Varint.
        case unsigned = 4
        /// 4 bytes.
        case float = 5
        /// 8 bytes.
        case double = 6
        /// Length as a varint, UTF-8.
        case string = 7
        /// Length (4 bytes), then pairs of key (varint, from 0) and value.
        case keyed = 8
        /// Length (4 bytes), then values.
        case unkeyed = 9
        /// Arrays of numbers: number of bytes as a varint, then the numbers without tags.
        case bytes = 10
        case int16s = 11
        case int32s = 12
        case int64s = 13
        case floats = 14
        case doubles = 15
    }
}

/// Bytes that are not a coded value, or not one of the requested type; or a value whose coded form is not supported.
package struct WireError: Error, Equatable, CustomStringConvertible {
    package var message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}
