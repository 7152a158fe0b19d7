/// Short public identifier of a cluster key: ten hexadecimal digits of a SHA-256 digest.
///
/// Nodes announce it, so that a coordinator can distinguish its own cluster from others. It authenticates no peer,
/// since anyone can announce it.
public struct KeyFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The digits, in lower case.
    public let description: String

    static let length = 10

    /// Parses `text`; nil unless it is ten hexadecimal digits in lower case.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy(Hexadecimal.isDigit) else { return nil }
        description = String(text)
    }

    init(digest: [UInt8]) { description = Hexadecimal.text(of: digest.prefix(Self.length / 2)) }
}

/// Bytes as pairs of hexadecimal digits in lower case.
enum Hexadecimal {
    static func isDigit(_ character: UInt8) -> Bool { value(of: character) != nil }

    static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
