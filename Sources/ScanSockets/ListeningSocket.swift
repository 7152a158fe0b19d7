package import ScanBasics

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket that listens, for a server of another library.
package enum ListeningSocket {
    /// Listens on `address`.
    /// - Returns: the descriptor, which the caller closes, and the address with the port that the system chose.
    /// - Throws: ``AddressError`` or ``SocketError``.
    package static func open(on address: SocketAddress) throws -> (descriptor: Int32, address: SocketAddress) {
        let socket = try Socket.listening(on: address)
        let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SocketError(operation: "listen on \(address)", errno: errno) }
        return (descriptor, socket.localAddress)
    }
}
