/// Identity of a system: 16 random bytes chosen when its process starts. Two addresses of one node share it.
public struct SystemID: Codable, Hashable, Sendable, CustomStringConvertible {
    private var high: UInt64
    private var low: UInt64

    /// Creates an identity from two words.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random identity.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// 32 hexadecimal digits.
    public var description: String { high.hexadecimal + low.hexadecimal }
}
