package import Foundation

/// What a connection asks of the session that protects its bytes; see ``TLSSession``, which is the only one in the
/// library and the command.
///
/// Benchmarks have a session without protection, so that the cost of TLS can be measured in the same build.
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

/// Starts the two sides of a session.
package struct SessionMaker: Sendable {
    /// The side that connects and offers a key.
    package var client: @Sendable (ClusterKey) throws -> any SecureSession
    /// The side that accepts the keys that are valid at a time.
    package var server: @Sendable (KeyRing, Date, UnauthenticatedLimits) throws -> any SecureSession

    package init(
        client: @escaping @Sendable (ClusterKey) throws -> any SecureSession,
        server: @escaping @Sendable (KeyRing, Date, UnauthenticatedLimits) throws -> any SecureSession
    ) {
        self.client = client
        self.server = server
    }

    /// TLS 1.3 with the cluster key.
    package static let tls = SessionMaker { key in
        try TLSSession(client: key)
    } server: { keys, time, limits in
        try TLSSession(server: keys, at: time, limits: limits)
    }
}
