import Foundation
import ScanDiscovery

/// A network interface of this machine, other than loopback.
struct NetworkInterface: Equatable, Sendable {
    var name: String
    var isUp: Bool
    var hasMulticast: Bool
    /// Numeric; link-local ones with the interface.
    var addresses: [String]

    /// Whether nodes can be found there.
    var carriesDiscovery: Bool { isUp && hasMulticast && !addresses.isEmpty }

    /// The current interfaces, sorted by name.
    static func current() -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var interfaces: [String: NetworkInterface] = [:]
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let cName = entry.ifa_name else { continue }
            let flags = Int(entry.ifa_flags)
            guard flags & loopback == 0 else { continue }
            let name = String(cString: cName)
            var interface =
                interfaces[name]
                ?? NetworkInterface(
                    name: name, isUp: flags & running != 0,
                    hasMulticast: flags & multicast != 0, addresses: [])
            if let address = entry.ifa_addr.flatMap({ HostAddress($0, on: name) }) {
                interface.addresses.append(address.description)
            }
            interfaces[name] = interface
        }
        return interfaces.values.sorted { $0.name < $1.name }
    }

    /// The address at which others reach a socket that listens on `host`; nil if `host` is a specific address.
    ///
    /// Prefers IPv4, which every machine has. Never link-local IPv6, which is valid on one link only.
    static func address(for host: String, among interfaces: [NetworkInterface]) -> String? {
        guard ["", "0.0.0.0", "::"].contains(host) else { return nil }
        let addresses = interfaces.filter(\.isUp).flatMap(\.addresses)
        let first = addresses.first { !$0.contains(":") && !$0.hasPrefix("169.254.") }
        let second = host == "0.0.0.0" ? nil : addresses.first { $0.contains(":") && !$0.hasPrefix("fe80:") }
        return first ?? second ?? "127.0.0.1"
    }

    private static let loopback = Int(IFF_LOOPBACK)
    private static let running = Int(IFF_RUNNING)
    private static let multicast = Int(IFF_MULTICAST)
}

extension HostAddress {
    /// The address in a system's structure; nil if it is of another family.
    fileprivate init?(_ address: UnsafeMutablePointer<sockaddr>, on interface: String) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(bytes: withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            self.init(
                bytes: withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) },
                interface: if_nametoindex(interface))
        default: return nil
        }
    }
}
