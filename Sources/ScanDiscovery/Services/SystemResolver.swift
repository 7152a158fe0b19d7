import ScanBasics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Dispatch

/// Address look-ups with the system's resolver.
enum SystemResolver {
    /// Returns the addresses of `host`, a name or a numeric address. Blocks a Dispatch thread, never one of the
    /// cooperative pool, since a look-up may take seconds.
    static func addresses(of host: String) -> AsyncThrowingStream<HostAddress, any Error> {
        AsyncThrowingStream { continuation in
            if let address = HostAddress(host) {
                continuation.yield(address)
                continuation.finish()
                return
            }
            DispatchQueue(label: "skyfarm.discovery.resolver").async {
                let (addresses, failure) = lookUp(host)
                for address in addresses { continuation.yield(address) }
                continuation.finish(throwing: failure)
            }
        }
    }

    private static func lookUp(_ host: String) -> ([HostAddress], DiscoveryError?) {
        var hints = streamSocketHints()
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else {
            let reason = String(cString: gai_strerror(status))
            return ([], DiscoveryError(.noAnswer, "no address of \(host.printable) is known: \(reason)"))
        }
        defer { freeaddrinfo(first) }
        return (
            sequence(first: first, next: { $0?.pointee.ai_next }).compactMap {
                $0?.pointee.ai_addr.flatMap { HostAddress($0) }
            }, nil
        )
    }
}
