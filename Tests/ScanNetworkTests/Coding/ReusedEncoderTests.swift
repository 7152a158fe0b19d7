import ScanNetwork
import Testing

@Suite("An encoder that is used again")
struct ReusedEncoderTests {
    private struct Refusal: Error {}

    private struct HalfEncoded: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for number in 0..<1000 { try container.encode(number) }
            throw Refusal()
        }
    }

    @Test("has nothing left of a value that could not be encoded, nor of a longer one")
    func afterFailure() throws {
        let encoder = WireEncoder()
        let fresh = try WireEncoder().encode("short")
        #expect(throws: Refusal.self) { try encoder.encode(HalfEncoded()) }
        #expect(try encoder.encode("short") == fresh)
        _ = try encoder.encode([UInt8](repeating: 1, count: 3 << 20))
        #expect(try encoder.encode("short") == fresh)
    }
}
