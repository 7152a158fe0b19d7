package import Foundation

/// The operations of a connection's security layer. ``TLSSession`` is the only implementation in the library and the
/// command; the benchmarks have one in clear text to measure the cost of TLS in the same build.
package protocol SecureSession: AnyObject {
    var phase: TLSSession.Phase { get }
    var key: KeyFingerprint? { get }
    var isRecognised: Bool { get }
    var outputCount: Int { get }
    func space() -> UnsafeMutableRawBufferPointer
    func received(_ count: Int) throws(TLSError)
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int
    func receiveEnd() throws(TLSError)
    func seal(_ plaintext: UnsafeRawBufferPointer) throws(TLSError)
    func close()
    func withOutput(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows
}

extension TLSSession: SecureSession {}

/// Factory of client and server sessions.
package struct SessionMaker: Sendable {
    /// Creates a session that connects and offers a key.
    package var client: @Sendable (ClusterKey) throws -> any SecureSession
    /// Creates a session that accepts the keys of the ring that are valid at a time.
    package var server: @Sendable (KeyRing, Date, UnauthenticatedLimits) throws -> any SecureSession

    package init(
        client: @escaping @Sendable (ClusterKey) throws -> any SecureSession,
        server: @escaping @Sendable (KeyRing, Date, UnauthenticatedLimits) throws -> any SecureSession
    ) {
        self.client = client
        self.server = server
    }

    /// Creates TLS 1.3 sessions with the cluster key.
    package static let tls = SessionMaker { key in
        try TLSSession(client: key)
    } server: { keys, time, limits in
        try TLSSession(server: keys, at: time, limits: limits)
    }
}
