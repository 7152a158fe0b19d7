/// SHA-256, as in FIPS 180-4.
enum SHA256 {
    private static let primes: [UInt64] = (2..<312).filter { number in !(2..<number).contains { number % $0 == 0 } }
    private static let start = primes.prefix(8).map { fraction(of: $0, root: 2) }
    private static let constants = primes.prefix(64).map { fraction(of: $0, root: 3) }

    /// Returns the first 32 bits of the fraction of a root, by bisection.
    private static func fraction(of prime: UInt64, root: Int) -> UInt32 {
        // The root is below 32, so that its first 32 bits after the point are in a number of 37 bits.
        var (low, high) = (UInt64(0), UInt64(1) << 37)
        while high - low > 1 {
            let middle = (low + high) / 2
            var power = UInt128(middle)
            for _ in 1..<root { power *= UInt128(middle) }
            if power <= UInt128(prime) << UInt128(32 * root) { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    /// Returns the hash of the bytes in hexadecimal digits, as `sha256sum` prints it.
    static func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String {
        var state = start
        let whole = bytes.count / 64 * 64
        for place in stride(from: 0, to: whole, by: 64) { add(bytes[place..<place + 64], to: &state) }
        var rest = Array(bytes[whole...]) + [0x80]
        while rest.count % 64 != 56 { rest.append(0) }
        rest += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(8 * bytes.count) >> (56 - 8 * UInt64($0))) }
        for place in stride(from: 0, to: rest.count, by: 64) { add(rest[place..<place + 64], to: &state) }
        return state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static func add(_ block: some Collection<UInt8>, to state: inout [UInt32]) {
        func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }
        var words = [UInt32](repeating: 0, count: 64)
        for (place, byte) in block.enumerated() { words[place / 4] = words[place / 4] << 8 | UInt32(byte) }
        for place in 16..<64 {
            let (early, late) = (words[place - 15], words[place - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words[place] = words[place - 16] &+ first &+ words[place - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for place in 0..<64 {
            let sum = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let first = h &+ sum &+ (e & f ^ ~e & g) &+ constants[place] &+ words[place]
            let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (place, word) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= word }
    }
}
