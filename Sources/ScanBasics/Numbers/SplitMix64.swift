/// The pseudorandom generator of Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators": a
/// counter and a mixing function. The same seed gives the same numbers on every machine.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    // Inlinable, like the functions, because the noise of a synthetic sky draws two numbers per pixel.
    @usableFromInline var state: UInt64

    /// Creates the sequence of `seed`.
    @inlinable public init(seed: UInt64) { state = seed }

    /// Creates the sequence number `stream` of `seed`, which is independent of its other sequences.
    @inlinable public init(seed: UInt64, stream: UInt64) {
        state = Self.mix(Self.mix(seed) ^ (stream &* 0xd134_2543_de82_ef95))
    }

    /// Returns the next 64 random bits.
    @inlinable public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mix(state)
    }

    @inlinable static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Returns a uniform number from 0 to 1, excluding 1.
    @inlinable package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a uniform number from `range`, excluding its upper bound.
    @inlinable package mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }
}
