import ScanCluster
import ScanDiscovery
import Testing

@Suite("What a node says about itself")
struct NodeAdvertisementTests {
    static let id = SystemID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

    @Test("the record carries versions, slots, key and identity")
    func record() {
        let facts = NodeAdvertisement(versions: 1...3, slots: 4, keyFingerprint: "ab:12", id: Self.id)
        #expect(
            facts.record
                == TXTRecord(["v": "1-3", "slots": "4", "key": "ab:12", "id": "0123456789abcdeffedcba9876543210"]))
        #expect(NodeAdvertisement(facts.record) == facts)
    }

    @Test("one version is one number")
    func oneVersion() {
        let facts = NodeAdvertisement(versions: 2...2, slots: nil, keyFingerprint: nil, id: nil)
        #expect(facts.record == TXTRecord(["v": "2"]))
        #expect(NodeAdvertisement(facts.record) == facts)
    }

    @Test(
        "a value that makes no sense is not there",
        arguments: [
            ["v": "", "slots": "", "key": "", "id": ""],
            ["v": "3-1", "slots": "0", "key": "a b", "id": "0123"],
            ["v": "1-2-3", "slots": "-1", "key": "\u{1b}[2J", "id": "+123456789abcdef+123456789abcdef"],
            [
                "v": "-", "slots": "65537", "key": String(repeating: "a", count: 65),
                "id": String(repeating: "g", count: 32),
            ],
            ["v": "70000", "slots": "99999999999999999999", "key": "é", "id": String(repeating: "０", count: 32)],
            ["v": "+1", "slots": "+1", "key": "\n", "id": String(repeating: "0", count: 33)],
        ])
    func nonsense(pairs: [String: String]) {
        let nothing = NodeAdvertisement(versions: nil, slots: nil, keyFingerprint: nil, id: nil)
        var record = TXTRecord()
        for (key, value) in pairs { record[key] = value }
        #expect(NodeAdvertisement(record) == nothing)
    }
}
