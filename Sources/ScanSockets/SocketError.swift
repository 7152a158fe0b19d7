#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A call of the system's socket interface that failed.
public struct SocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation, such as `listen on 127.0.0.1:80`.
    public var operation: String
    /// The system's error number.
    public var errno: Int32

    package init(operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
    }

    /// The operation and why it failed.
    public var description: String { "cannot \(operation): \(Self.text(errno))" }

    package static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
