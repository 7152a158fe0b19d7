import ScanCluster
import Foundation

@testable import ScanNetwork

/// An address of this machine at which nobody listens, and at which none of the tests that run beside this one will by
/// chance: the port is taken until ``release()``. On Linux, a node that is told to listen there may.
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
