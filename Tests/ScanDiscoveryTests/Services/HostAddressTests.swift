import ScanDiscovery
import Testing

@Suite("Host addresses")
struct HostAddressTests {
    @Test(
        "text is parsed and written back",
        arguments: ["10.0.0.1", "fd00::1", "::1", "::ffff:10.0.0.1", "fe80::1%lo", "127.0.0.1", "255.255.255.255"])
    func roundTrip(text: String) throws {
        #expect(try #require(HostAddress(text)).description == text)
    }

    @Test(
        "what is no address is refused",
        arguments: ["", "localhost", "10.0.0", "10.0.0.1%lo", "fe80::1%nosuchif", "fe80::1%", "1.2.3.4.5", ":::"])
    func refused(text: String) {
        #expect(HostAddress(text) == nil)
    }

    @Test("the scope may be a number")
    func numericScope() throws {
        #expect(try #require(HostAddress("fe80::1%1")).scope == 1)
    }

    @Test("only a link-local IPv6 address keeps the interface")
    func scope() throws {
        let linkLocal = try #require(
            HostAddress(bytes: [0xfe, 0x80] + Array(repeating: 0, count: 13) + [1], interface: 7))
        #expect(linkLocal.scope == 7)
        let global = try #require(HostAddress(bytes: [0xfd] + Array(repeating: 0, count: 14) + [1], interface: 7))
        #expect(global.scope == 0)
        #expect(try #require(HostAddress(bytes: [169, 254, 1, 1], interface: 7)).scope == 0)
    }

    @Test("only 4 or 16 bytes are an address", arguments: [0, 1, 3, 5, 15, 17])
    func length(count: Int) {
        #expect(HostAddress(bytes: Array(repeating: 1, count: count)) == nil)
    }

    @Test(
        "no host can be at an unspecified, multicast or broadcast address",
        arguments: ["0.0.0.0", "0.1.2.3", "224.0.0.251", "255.255.255.255", "::", "ff02::fb", "::ffff:224.0.0.1"])
    func notUnicast(text: String) throws {
        #expect(try !#require(HostAddress(text)).isUnicast)
    }

    @Test("other addresses are unicast", arguments: ["10.0.0.1", "127.0.0.1", "fd00::1", "::1", "::ffff:10.0.0.1"])
    func unicast(text: String) throws {
        #expect(try #require(HostAddress(text)).isUnicast)
    }

    @Test("loopback is recognised", arguments: ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"])
    func loopback(text: String) throws {
        #expect(try #require(HostAddress(text)).isLoopback)
    }

    @Test("other addresses are not loopback", arguments: ["128.0.0.1", "::2", "::ffff:10.0.0.1", "fe80::1%1"])
    func notLoopback(text: String) throws {
        #expect(try !#require(HostAddress(text)).isLoopback)
    }

    @Test("the address that most machines reach comes first")
    func order() throws {
        let texts = ["10.0.0.1", "10.0.0.2", "fd00::1", "169.254.0.1", "fe80::1%1", "fe80::1%2", "127.0.0.1"]
        let addresses = try texts.map { try #require(HostAddress($0)) }
        #expect(addresses.reversed().sorted() == addresses)
    }
}
