#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IP address of a host, with the interface through which it is reached.
public struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 bytes for IPv4 or 16 for IPv6, in network order.
    public let bytes: [UInt8]
    /// Index of the interface for a link-local IPv6 address; 0 for all others.
    public let scope: UInt32

    /// Creates an address from 4 or 16 bytes; nil for any other number.
    public init?(bytes: some Sequence<UInt8>, interface: UInt32 = 0) {
        self.bytes = Array(bytes)
        guard self.bytes.count == 4 || self.bytes.count == 16 else { return nil }
        scope = Self.isLinkLocal(self.bytes) && self.bytes.count == 16 ? interface : 0
    }

    /// Parses a numeric address such as `10.0.0.1`, `fd00::1` or `fe80::1%eth0`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var four = in_addr()
        var six = in6_addr()
        if parts.count == 1, inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, parts[0], &six) == 1 {
            let interface = parts.count == 1 ? 0 : UInt32(parts[1]) ?? if_nametoindex(parts[1])
            if parts.count == 2, interface == 0 { return nil }
            self.init(bytes: withUnsafeBytes(of: &six) { Array($0) }, interface: interface)
        } else {
            return nil
        }
    }

    /// Creates an address from a `sockaddr`; nil for another address family.
    init?(_ address: UnsafePointer<sockaddr>, interface: UInt32? = nil) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(bytes: withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            let six = raw.load(as: sockaddr_in6.self)
            self.init(
                bytes: withUnsafeBytes(of: six.sin6_addr) { Array($0) }, interface: interface ?? six.sin6_scope_id)
        default: return nil
        }
    }

    /// Whether this is an IPv6 address.
    public var isIPv6: Bool { bytes.count == 16 }

    /// Whether the address is valid only on one link: fe80::/10 and 169.254.0.0/16.
    public var isLinkLocal: Bool { Self.isLinkLocal(bytes) }

    /// Whether the address is in 127.0.0.0/8 or is ::1, also when mapped into IPv6.
    public var isLoopback: Bool {
        if let mapped { return mapped[0] == 127 }
        return isIPv6 ? bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1 : bytes[0] == 127
    }

    /// Whether the address can belong to a host: not the unspecified, a multicast or the broadcast address.
    public var isUnicast: Bool {
        if bytes.allSatisfy({ $0 == 0 }) { return false }
        if let mapped { return mapped[0] != 0 && mapped[0] < 224 }
        return isIPv6 ? bytes[0] != 0xff : bytes[0] != 0 && bytes[0] < 224
    }

    /// Numeric text; a link-local IPv6 address includes its interface, such as `fe80::1%eth0`.
    public var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "?" }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return scope == 0 ? text : "\(text)%\(Self.interfaceName(scope) ?? String(scope))"
    }

    private static func isLinkLocal(_ bytes: [UInt8]) -> Bool {
        bytes.count == 16 ? bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 : bytes[0] == 169 && bytes[1] == 254
    }

    /// The IPv4 address in `::ffff:0:0/96`; nil for any other address.
    private var mapped: ArraySlice<UInt8>? {
        guard isIPv6, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff else { return nil }
        return ArraySlice(Array(bytes[12...]))
    }

    private static func interfaceName(_ number: UInt32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(number, &buffer) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension HostAddress: Comparable {
    /// Compares by how likely other machines can reach the address: IPv4, IPv6, link-local, loopback.
    public static func < (left: HostAddress, right: HostAddress) -> Bool {
        let (first, second) = (left.rank, right.rank)
        if first != second { return first < second }
        if left.bytes != right.bytes { return left.bytes.lexicographicallyPrecedes(right.bytes) }
        return left.scope < right.scope
    }

    private var rank: Int {
        if isLoopback { return 4 }
        return (isLinkLocal ? 2 : 0) + (isIPv6 ? 1 : 0)
    }
}
