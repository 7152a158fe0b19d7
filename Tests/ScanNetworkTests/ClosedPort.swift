import Foundation
import ScanCluster
import ScanNetwork
import ScanSockets

/// A port of this machine without a listener, and without one from tests that run beside this one: it is taken until
/// ``release()``. On Linux, a node that is given this address may still listen there.
final class ClosedPort {
    let address: String
    private let socket: Socket

    init() throws {
        let socket = try Socket(family: AF_INET)
        var on: Int32 = 1
        setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let anyPort = RawAddress(numeric: SocketAddress(host: "127.0.0.1", port: 0))
        guard let anyPort, anyPort.withPointer({ bind(socket.descriptor, $0, $1) }) == 0 else {
            throw SocketError(operation: "take a port", errno: errno)
        }
        self.socket = socket
        address = "\(socket.localAddress)"
    }

    func release() { socket.close() }
}
