import ScanBasics
import ScanTestSupport
import Testing

@Suite struct SystemIDTests {
    @Test("an identity reads as 32 hexadecimal digits, zeros included")
    func description() {
        #expect(SystemID(high: 0x1f, low: .max).description == "000000000000001fffffffffffffffff")
    }

    @Test("new identities differ")
    func random() {
        var generator = SplitMix64(seed: 1)
        #expect(SystemID(using: &generator) != SystemID(using: &generator))
    }
}
