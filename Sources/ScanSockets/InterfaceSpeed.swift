#if canImport(Glibc)
    import Foundation
    import Glibc
#else
    import Darwin
#endif

/// The speed of a network interface of this machine, as its driver states it.
package enum InterfaceSpeed {
    /// Share of the bits that are not headers of Ethernet, TCP and TLS.
    private static let payload = 0.94

    /// Bytes per second that the interface with the address `host` can send; nil if the system does not know it, as for
    /// wireless interfaces. Linux only.
    package static func bytesPerSecond(of host: String) -> Double? {
        #if canImport(Glibc)
            guard let name = interface(with: host),
                let text = try? String(contentsOfFile: "/sys/class/net/\(name)/speed", encoding: .utf8),
                let megabits = Double(text.prefix { !$0.isWhitespace }), megabits > 0
            else { return nil }
            return megabits * 1e6 / 8 * payload
        #else
            return nil
        #endif
    }

    #if canImport(Glibc)
        private static let lengths = [
            AF_INET: socklen_t(MemoryLayout<sockaddr_in>.size), AF_INET6: socklen_t(MemoryLayout<sockaddr_in6>.size),
        ]

        private static func interface(with host: String) -> String? {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&list) == 0 else { return nil }
            defer { freeifaddrs(list) }
            var entry = list
            while let current = entry {
                if let address = current.pointee.ifa_addr,
                    let length = lengths[Int32(address.pointee.sa_family)],
                    RawAddress(address, length: length).address.host == host
                {
                    return String(cString: current.pointee.ifa_name)
                }
                entry = current.pointee.ifa_next
            }
            return nil
        }
    #endif
}
