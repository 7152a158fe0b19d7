import ScanBasics
import ScanDiscovery
import Testing

@Suite("TXT records")
struct TXTRecordTests {
    @Test("keys and values are strings with a length before them")
    func encoding() throws {
        #expect(
            try TXTRecord(["v": "1", "slots": "4"]).encoded() == [3] + Array("v=1".utf8) + [7] + Array("slots=4".utf8))
    }

    @Test("a record without keys is one empty string")
    func empty() throws {
        #expect(try TXTRecord().encoded() == [0])
        #expect(TXTRecord(parsing: [0]) == TXTRecord())
        #expect(TXTRecord(parsing: []) == TXTRecord())
    }

    @Test("what is encoded is parsed back")
    func roundTrip() throws {
        let record = TXTRecord(["v": "1-3", "key": "a=b=c", "empty": ""])
        #expect(TXTRecord(parsing: try record.encoded()) == record)
    }

    @Test("keys are compared without regard to case, and the first of equal keys counts")
    func firstKeyCounts() {
        let record = TXTRecord(parsing: [3] + Array("V=1".utf8) + [3] + Array("v=2".utf8))
        #expect(record["v"] == "1")
        #expect(record.entries.count == 1)
    }

    @Test("a key without '=' has no value, one with nothing after '=' an empty one")
    func missingValue() {
        let record = TXTRecord(parsing: [1] + Array("a".utf8) + [2] + Array("b=".utf8))
        #expect(record["a"] == nil)
        #expect(record.entries.map(\.key) == ["a", "b"])
        #expect(record["b"] == "")
    }

    @Test(
        "a string that breaks the rules is left out",
        arguments: [
            [2] + Array("=x".utf8), [3, 0x07, UInt8(ascii: "="), UInt8(ascii: "x")], [0], [200, 1, 2],
            [4, 0xc3, 0xa9, UInt8(ascii: "="), UInt8(ascii: "x")],
        ] as [[UInt8]])
    func unlawfulStrings(bytes: [UInt8]) {
        #expect(TXTRecord(parsing: [3] + Array("v=1".utf8) + bytes) == TXTRecord(["v": "1"]))
    }

    @Test("a value that is no UTF-8 is not given as text")
    func binaryValue() {
        let record = TXTRecord(parsing: [4, UInt8(ascii: "a"), UInt8(ascii: "="), 0xff, 0xfe])
        #expect(record["a"] == nil)
        #expect(record.entries.first?.value == [0xff, 0xfe])
    }

    @Test("any bytes can be parsed", arguments: 0..<200)
    func anyBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = (0..<Int.random(in: 0...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let record = TXTRecord(parsing: bytes)
        #expect(Set(record.entries.map { $0.key.lowercased() }).count == record.entries.count, "seed \(seed)")
    }

    @Test("a key can be set, changed and removed")
    func settingKeys() {
        var record = TXTRecord(["slots": "1"])
        record["SLOTS"] = "2"
        record["key"] = "k"
        #expect(record == TXTRecord(["slots": "2", "key": "k"]))
        record["slots"] = nil
        record["absent"] = nil
        #expect(record == TXTRecord(["key": "k"]))
    }

    @Test("a string above 255 bytes is refused, and the error says which")
    func longString() throws {
        _ = try TXTRecord(["k": String(repeating: "x", count: 253)]).encoded()
        let error = #expect(throws: DiscoveryError.self) {
            try TXTRecord(["k": String(repeating: "x", count: 254)]).encoded()
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("'k'") == true)
    }

    @Test("a record that could not be resolved by others is refused")
    func longRecord() throws {
        var record = TXTRecord()
        for number in 1...7 { record["k\(number)"] = String(repeating: "x", count: number == 7 ? 195 : 196) }
        #expect(try record.encoded().count == TXTRecord.maximumLength)
        record["k7"] = String(repeating: "x", count: 196)
        #expect(throws: DiscoveryError.self) { try record.encoded() }
    }

    @Test("a key that is not allowed is refused", arguments: ["", "a=b", "é", "a\n"])
    func unlawfulKey(key: String) {
        var record = TXTRecord()
        record[key] = "x"
        #expect(throws: DiscoveryError.self) { try record.encoded() }
    }
}
