internal import ScanBasics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A network interface of this machine.
package struct NetworkInterface: Equatable, Sendable {
    package var name: String
    package var isUp: Bool
    package var hasMulticast: Bool
    package var isLoopback: Bool
    /// Whether it leads only to containers and virtual machines of this machine.
    package var isInternal: Bool
    package var addresses: [HostAddress]

    package init(
        name: String, isUp: Bool, hasMulticast: Bool, isLoopback: Bool = false, isInternal: Bool = false,
        addresses: [HostAddress]
    ) {
        self.name = name
        self.isUp = isUp
        self.hasMulticast = hasMulticast
        self.isLoopback = isLoopback
        self.isInternal = isInternal
        self.addresses = addresses
    }

    /// Whether nodes can be discovered on the interface.
    package var carriesDiscovery: Bool { isUp && hasMulticast && !isLoopback && !addresses.isEmpty }

    /// Returns the current interfaces, sorted by name.
    package static func current() -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var interfaces: [String: NetworkInterface] = [:]
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let cName = entry.ifa_name else { continue }
            let flags = Int(entry.ifa_flags)
            let name = String(cString: cName)
            var interface =
                interfaces[name]
                ?? NetworkInterface(
                    name: name, isUp: flags & running != 0, hasMulticast: flags & multicast != 0,
                    isLoopback: flags & loopback != 0, isInternal: isInternal(name, in: "/sys/class/net"),
                    addresses: [])
            if let address = entry.ifa_addr.flatMap({ HostAddress($0, interface: if_nametoindex(name)) }) {
                interface.addresses.append(address)
            }
            interfaces[name] = interface
        }
        return interfaces.values.sorted { $0.name < $1.name }
    }

    /// Whether an interface is a bridge without a member that leads to other machines, such as those of Docker and
    /// libvirt. `folder` is Linux' description of the interfaces: it lists the members of a bridge, which are the ends
    /// of containers and virtual machines, or devices, VLANs and bonds.
    package static func isInternal(_ name: String, in folder: String) -> Bool {
        guard access("\(folder)/\(name)/bridge", F_OK) == 0 else { return false }
        let members = ShellPattern.paths(matching: "\(folder)/\(name)/brif/*").map {
            $0.split(separator: "/").last ?? ""
        }
        return members.allSatisfy { member in
            // A device has a bus; a VLAN or bond names the interface below it.
            let isOuter = access("\(folder)/\(member)/device", F_OK) == 0
            return !isOuter && ShellPattern.paths(matching: "\(folder)/\(member)/lower_*").isEmpty
        }
    }

    /// Returns the bytes of each current address of this machine.
    static func localAddresses() -> Set<[UInt8]> { Set(current().flatMap(\.addresses).map(\.bytes)) }

    /// Index of the loopback interface.
    static var loopbackNumber: UInt32 {
        #if os(Linux)
            if_nametoindex("lo")
        #else
            if_nametoindex("lo0")
        #endif
    }

    /// Returns the address at which other machines reach a socket that listens on `host`, or nil if `host` is already
    /// an address.
    ///
    /// IPv4 addresses are preferred, because every machine has one. Link-local addresses are excluded: on another link
    /// they belong to another machine.
    package static func address(for host: String, among interfaces: [NetworkInterface]) -> String? {
        guard ["", "0.0.0.0", "::"].contains(host) else { return nil }
        let addresses = interfaces.filter { $0.isUp && !$0.isLoopback }.flatMap(\.addresses).filter { !$0.isLinkLocal }
        let first = addresses.first { !$0.isIPv6 }
        let second = host == "0.0.0.0" ? nil : addresses.first(where: \.isIPv6)
        return (first ?? second)?.description ?? "127.0.0.1"
    }

    private static let loopback = Int(IFF_LOOPBACK)
    private static let running = Int(IFF_RUNNING)
    private static let multicast = Int(IFF_MULTICAST)
}
