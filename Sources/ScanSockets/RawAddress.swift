package import ScanBasics

#if canImport(Glibc)
    package import Glibc
#else
    import Darwin
#endif

/// A resolved address, in the form of the socket calls.
package struct RawAddress {
    private var storage = sockaddr_storage()
    private var length: socklen_t = 0

    init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        self.length = length
        withUnsafeMutableBytes(of: &storage) { storage in
            storage.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(Int(length), storage.count)))
        }
    }

    /// The address that `body` fills in.
    package init(_ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                if body(address, &length) != 0 { length = 0 }
            }
        }
    }

    /// The address of a numeric host, such as `10.0.0.1` or `fe80::1%eth0`; nil for a name.
    package init?(numeric address: SocketAddress) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let list else { return nil }
        defer { freeaddrinfo(list) }
        guard let raw = list.pointee.ai_addr else { return nil }
        self.init(raw, length: list.pointee.ai_addrlen)
    }

    package var family: Int32 { Int32(storage.ss_family) }

    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Numeric host and port.
    package var address: SocketAddress {
        var host = [CChar](repeating: 0, count: 128)
        var port = [CChar](repeating: 0, count: 16)
        let status = withPointer { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard status == 0 else { return SocketAddress(host: "unknown", port: 0) }
        func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        // An IPv4 peer of an IPv6 socket.
        let mapped = "::ffff:"
        let name = text(host)
        let isMapped = name.hasPrefix(mapped) && name.utf8.contains(UInt8(ascii: "."))
        return SocketAddress(
            host: isMapped ? String(name.dropFirst(mapped.count)) : name, port: UInt16(text(port)) ?? 0)
    }
}

package func rawAddresses(_ list: UnsafeMutablePointer<addrinfo>) -> [RawAddress] {
    sequence(first: list) { $0.pointee.ai_next }.compactMap { entry in
        entry.pointee.ai_addr.map { RawAddress($0, length: entry.pointee.ai_addrlen) }
    }
}

func resolverText(_ status: Int32) -> String { String(cString: gai_strerror(status)) }
