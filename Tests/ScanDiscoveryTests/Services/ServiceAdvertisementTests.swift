import ScanCluster
import ScanDiscovery
import Testing

@Suite("Announcements")
struct ServiceAdvertisementTests {
    static let id = SystemID(high: 0x0123_4567_89ab_cdef, low: 1)

    @Test("a node's name is made unique by its identity")
    func uniqueName() {
        #expect(ServiceAdvertisement.instanceName("alpha", of: Self.id) == "alpha-01234567")
    }

    @Test("the name of a node is that of its instance without the digits, also if the daemon has renamed the instance")
    func nodeName() {
        for instance in ["alpha-01234567", "alpha-01234567 #2", "alpha-01234567 (12)"] {
            #expect(ServiceAdvertisement.nodeName(ofInstance: instance) == "alpha")
            #expect(ServiceAdvertisement.nodeName(ofInstance: instance, of: Self.id) == "alpha")
        }
        #expect(ServiceAdvertisement.nodeName(ofInstance: "alpha-7c1e-01234567", of: Self.id) == "alpha-7c1e")
        // These digits are not those of the identity, or there are none.
        #expect(ServiceAdvertisement.nodeName(ofInstance: "alpha-76543210", of: Self.id) == "alpha-76543210")
        for instance in ["alpha", "alpha #2", "-01234567", "alpha-0123"] {
            #expect(ServiceAdvertisement.nodeName(ofInstance: instance) == instance)
        }
    }

    @Test("a long name is cut between characters", arguments: ["x", "é", "👩‍🚀"])
    func longName(character: String) {
        let name = ServiceAdvertisement.instanceName(String(repeating: character, count: 100), of: Self.id)
        #expect(name.utf8.count <= ServiceAdvertisement.maximumNameLength)
        #expect(name.hasSuffix(character + "-01234567"))
    }

    @Test(
        "a name, port or record that others could not use is refused",
        arguments: [
            ServiceAdvertisement(name: "", port: 1, txt: TXTRecord()),
            ServiceAdvertisement(name: String(repeating: "x", count: 64), port: 1, txt: TXTRecord()),
            ServiceAdvertisement(name: "a\0b", port: 1, txt: TXTRecord()),
            ServiceAdvertisement(name: "a", port: 0, txt: TXTRecord()),
            ServiceAdvertisement(name: "a", port: 1, txt: TXTRecord(["": "x"])),
        ])
    func refused(service: ServiceAdvertisement) {
        #expect(throws: DiscoveryError.self) { try service.validate() }
    }

    @Test("a name of 63 bytes is accepted")
    func longestName() throws {
        try ServiceAdvertisement(name: String(repeating: "x", count: 63), port: 1, txt: TXTRecord()).validate()
    }

    @Test("control characters of a name are not printed")
    func printable() {
        #expect("a\u{1b}[31mb\n\u{202e}c".printable == "a\u{fffd}[31mb\u{fffd}\u{fffd}c")
        #expect("naïve 👋 name".printable == "naïve 👋 name")
    }
}
