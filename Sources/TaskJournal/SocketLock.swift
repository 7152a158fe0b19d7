internal import Foundation
internal import ScanBasics

/// A lock among processes of this machine: a socket bound to an address that is derived from a path and is not a file.
/// The kernel releases it when the process ends.
package final class SocketLock {
    private let descriptor: Int32

    /// Locks `path`, or returns nil if another process holds the lock.
    package init?(_ path: String) {
        descriptor = socket(AF_UNIX, streamSocketType, 0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard Self.bind(descriptor, to: Self.name(of: path)) else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Returns an address for `path`, which may itself be too long for one. Each user has separate addresses.
    private static func name(of path: String) -> String {
        let real = AbsolutePath.of(path)
        return "skyfarm-lock-\(geteuid())-" + Array(real.utf8).withUnsafeBytes { Checksum.of($0) }.hexadecimal
    }

    /// Binds a socket to an address in Linux's abstract namespace. Always succeeds on other systems, since all their
    /// file systems have locks.
    private static func bind(_ descriptor: Int32, to name: String) -> Bool {
        #if os(Linux)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
            // The first byte of the path stays 0.
            withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
            return withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.bind(descriptor, $0, socklen_t(length)) == 0
                }
            }
        #else
            return true
        #endif
    }
}
