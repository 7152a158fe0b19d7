internal import CSystem
package import ScanBasics

#if canImport(Glibc)
    // Where libuv's header is imported first, the constants of socket(2) are found in its module only.
    import CLibUV
    import Glibc
#else
    import Darwin
#endif

/// A non-blocking TCP socket that no child process inherits. Closed when it is released, if not before.
package final class Socket {
    /// Negative once the socket is closed.
    package private(set) var descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    package func close() {
        guard descriptor >= 0 else { return }
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
        descriptor = -1
    }

    package convenience init(family: Int32) throws {
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SocketError(operation: "create a socket", errno: errno) }
        self.init(descriptor: descriptor)
        configure()
    }

    private func configure() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Glibc)
            set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: Self.unsentLimit)
        #endif
    }

    /// Most bytes that the system takes and cannot send yet. What it has taken cannot be recalled, and delays the frames
    /// behind it.
    private static let unsentLimit: Int32 = 256 << 10

    private func set(_ level: Int32, _ option: Int32, to value: Int32 = 1) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Seconds of a round trip, smoothed by the system; nil if it does not measure it.
    package var roundTrip: Double? {
        #if canImport(Glibc)
            var info = tcp_info()
            var length = socklen_t(MemoryLayout<tcp_info>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, info.tcpi_rtt > 0
            else { return nil }
            return Double(info.tcpi_rtt) * 1e-6
        #else
            return nil
        #endif
    }

    /// Bytes per second of the last acknowledgements, as the kernel measures them; 0 if it does not. Unlike the time that
    /// this process takes to notice them, it does not depend on whether the process gets a processor.
    package var deliveryRate: Double { skyfarm_delivery_rate(descriptor) }

    /// Bytes that the socket has taken and the other side has not acknowledged; 0 if the system does not tell.
    package var unacknowledged: Int {
        #if canImport(Glibc)
            var count: Int32 = 0
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(max(0, count)) : 0
        #else
            return 0
        #endif
    }

    // MARK: Listening

    /// Connections that may wait to be accepted, if the system allows as many: more than a crowd of unauthenticated
    /// peers opens at once, because the system refuses connections beyond it.
    private static var backlog: Int32 { 4096 }

    /// A socket that listens on `address`, which must be numeric, a name of this machine, or have an empty host.
    package static func listening(on address: SocketAddress) throws -> Socket {
        var hints = streamSocketHints()
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let host = address.host.isEmpty ? nil : address.host
        let status = getaddrinfo(host, String(address.port), &hints, &list)
        guard status == 0, let list else {
            throw AddressError(text: address.description, problem: "cannot be listened on: \(resolverText(status))")
        }
        defer { freeaddrinfo(list) }
        var candidates = rawAddresses(list)
        // With an empty host, an IPv6 socket takes IPv4 connections as well.
        if host == nil { candidates.sort { $0.family == AF_INET6 && $1.family != AF_INET6 } }
        var failure = SocketError(operation: "listen on \(address)", errno: EADDRNOTAVAIL)
        for candidate in candidates {
            do {
                return try listening(on: candidate, bothFamilies: host == nil, name: address)
            } catch let error as SocketError {
                failure = error
            }
        }
        throw failure
    }

    private static func listening(on raw: RawAddress, bothFamilies: Bool, name: SocketAddress) throws -> Socket {
        let socket = try Socket(family: raw.family)
        socket.set(SOL_SOCKET, SO_REUSEADDR)
        if raw.family == AF_INET6, bothFamilies {
            var off: Int32 = 0
            setsockopt(
                socket.descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        }
        guard raw.withPointer({ bind(socket.descriptor, $0, $1) }) == 0, listen(socket.descriptor, backlog) == 0 else {
            throw SocketError(operation: "listen on \(name)", errno: errno)
        }
        return socket
    }

    /// The next connection; nil if none waits.
    package func accept() throws -> Socket? {
        while true {
            #if canImport(Glibc)
                let accepted = Glibc.accept(descriptor, nil, nil)
            #else
                let accepted = Darwin.accept(descriptor, nil, nil)
            #endif
            if accepted >= 0 {
                let socket = Socket(descriptor: accepted)
                socket.configure()
                return socket
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw SocketError(operation: "accept a connection", errno: errno)
            }
        }
    }

    // MARK: Connecting

    /// Begins to connect; the socket becomes writable once that has succeeded or failed.
    package static func connecting(to raw: RawAddress) throws -> Socket {
        let socket = try Socket(family: raw.family)
        let status = raw.withPointer { connect(socket.descriptor, $0, $1) }
        if status != 0, errno != EINPROGRESS, errno != EINTR {
            throw SocketError(operation: "connect to \(raw.address)", errno: errno)
        }
        return socket
    }

    /// The outcome of the attempt to connect; 0 for success.
    package var connectStatus: Int32 {
        var status: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &length)
        return status
    }

    package var localAddress: SocketAddress { RawAddress { getsockname(descriptor, $0, $1) }.address }
    package var peerAddress: SocketAddress { RawAddress { getpeername(descriptor, $0, $1) }.address }
}
