import Foundation

/// An address of this machine at which nobody listens, and at which none of the tests that run beside this one will by
/// chance: the port is taken until ``release()``. A node that is told to listen there may.
final class ClosedPort: Sendable {
    let address: String
    private let descriptor: Int32

    init() throws {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &name) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard let pointer, bind(descriptor, pointer, size) == 0 else { return Int32(-1) }
            return getsockname(descriptor, pointer, &size)
        }
        self.descriptor = descriptor
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        address = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    }

    func release() { close(descriptor) }
}
