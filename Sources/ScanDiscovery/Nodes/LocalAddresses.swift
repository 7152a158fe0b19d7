#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The addresses of this machine.
package enum LocalAddresses {
    /// The bytes of each address of each interface, now.
    package static func current() -> Set<[UInt8]> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var result: Set<[UInt8]> = []
        for interface in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let address = interface?.pointee.ifa_addr else { continue }
            let raw = UnsafeRawPointer(address)
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                result.insert(withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
            case AF_INET6:
                result.insert(withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) })
            default:
                break
            }
        }
        return result
    }

    /// Number of the loopback interface.
    package static var loopbackInterface: UInt32 {
        #if os(Linux)
            if_nametoindex("lo")
        #else
            if_nametoindex("lo0")
        #endif
    }
}
