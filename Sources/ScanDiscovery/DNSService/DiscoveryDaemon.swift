public import ScanBasics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The state of the machine's discovery daemon, as far as it can be determined at once, without a request.
public enum DiscoveryDaemon: Hashable, Sendable {
    /// The daemon accepts connections. It may still hang.
    case listening
    /// The D-Bus system bus, which the daemon needs, does not exist.
    case busAbsent(path: String)
    /// The bus exists, but the daemon does not.
    case absent

    /// Returns the current state.
    public static func diagnose() -> DiscoveryDaemon {
        #if os(Linux)
            let bus = busPath(address: getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) })
            if let bus, !accepts(bus) { return .busAbsent(path: bus) }
            return accepts("/run/avahi-daemon/socket") ? .listening : .absent
        #else
            return accepts("/var/run/mDNSResponder") ? .listening : .absent
        #endif
    }

    var isBusAbsent: Bool { if case .busAbsent = self { true } else { false } }

    /// The error that describes the state; nil if no fault is visible.
    public var error: DiscoveryError? {
        switch self {
        case .listening: nil
        case .busAbsent(let path):
            DiscoveryError(
                .daemonAbsent,
                "discovery is off: no D-Bus system bus at \(path.printable); start it with 'systemctl start dbus'")
        case .absent: DiscoveryError(.daemonAbsent, "discovery is off: no daemon runs; \(Self.startHint)")
        }
    }

    #if os(Linux)
        static let startHint = "start it with 'systemctl start avahi-daemon'"
        static let restartHint = "restart it with 'systemctl restart avahi-daemon'"
    #else
        static let startHint = "start mDNSResponder"
        static let restartHint = "restart mDNSResponder"
    #endif

    /// Returns the socket of the bus in the file system, where libdbus looks for it, or nil if the address has none.
    static func busPath(address: String?) -> String? {
        guard let address, !address.isEmpty else { return "/run/dbus/system_bus_socket" }
        let first = address.prefix { $0 != ";" }
        guard first.hasPrefix("unix:") else { return nil }
        return first.dropFirst("unix:".count).split(separator: ",").first { $0.hasPrefix("path=") }
            .map { String($0.dropFirst("path=".count)) }
    }

    private static func accepts(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // EAGAIN: the daemon listens, but its queue is full, as that of a hanging daemon may be.
        return status == 0 || errno == EAGAIN
    }
}
