import Glibc
import ScanDiscovery
import Testing

@Suite("Addresses of nodes")
struct NodeAddressTests {
    static func address(_ text: String, _ port: UInt16 = 4000) throws -> NodeAddress {
        NodeAddress(host: try #require(HostAddress(text)), port: port)
    }

    @Test("IPv6 is written in brackets")
    func text() throws {
        #expect(try Self.address("10.0.0.1").description == "10.0.0.1:4000")
        #expect(try Self.address("fe80::1%lo").description == "[fe80::1%lo]:4000")
    }

    @Test("the most promising comes first")
    func order() throws {
        let texts = ["10.0.0.1", "10.0.0.2", "fd00::1", "169.254.0.1", "fe80::1%1", "fe80::1%2", "127.0.0.1"]
        let addresses = try texts.map { try Self.address($0) }
        #expect(addresses.reversed().sorted() == addresses)
    }

    @Test("an IPv4 socket address has family, port and address in network order")
    func four() throws {
        try Self.address("10.0.0.1", 0x1234).withSocketAddress { pointer, length in
            #expect(length == socklen_t(MemoryLayout<sockaddr_in>.size))
            let raw = UnsafeRawBufferPointer(start: pointer, count: Int(length))
            #expect(pointer.pointee.sa_family == sa_family_t(AF_INET))
            #expect(Array(raw[2..<8]) == [0x12, 0x34, 10, 0, 0, 1])
        }
    }

    @Test("an IPv6 socket address has the interface too")
    func six() throws {
        try Self.address("fe80::1%1", 0x1234).withSocketAddress { pointer, length in
            #expect(length == socklen_t(MemoryLayout<sockaddr_in6>.size))
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                #expect($0.pointee.sin6_family == sa_family_t(AF_INET6))
                #expect($0.pointee.sin6_port == UInt16(0x1234).bigEndian)
                #expect($0.pointee.sin6_scope_id == 1)
                #expect(withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }.starts(with: [0xfe, 0x80]))
            }
        }
    }
}
