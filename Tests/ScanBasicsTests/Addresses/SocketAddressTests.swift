import ScanBasics
import Testing

@Suite("An address")
struct SocketAddressTests {
    static let good: [(String, host: String, port: UInt16)] = [
        ("127.0.0.1:80", host: "127.0.0.1", port: 80), ("node.local:0", host: "node.local", port: 0),
        ("[::1]:65535", host: "::1", port: 65535), (":4711", host: "", port: 4711),
        ("[fe80::1%eth0]:1", host: "fe80::1%eth0", port: 1),
    ]

    @Test("is read and written alike", arguments: good)
    func parse(text: String, host: String, port: UInt16) throws {
        let address = try SocketAddress(parsing: text)
        #expect(address == SocketAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(
        "that is invalid is refused in one line",
        arguments: ["", "host", "host:", "host:x", "host:65536", "::1:80", "a b:1", "http://host:80", "host:-1"])
    func refuse(text: String) {
        #expect(throws: AddressError.self) { try SocketAddress(parsing: text) }
        do {
            _ = try SocketAddress(parsing: text)
        } catch {
            #expect(error.description.hasPrefix("'\(text)' "))
            #expect(!error.description.contains("\n"))
        }
    }
}
