/// The content of a dashboard. Its methods are called on the server's threads.
public protocol DashboardSource: Sendable {
    /// Returns the file at a path such as `/`, or nil if there is none. The server itself answers `/events`, `/metrics`
    /// and `/healthz`.
    func file(at path: String) -> DashboardFile?

    /// Returns the reason why work cannot proceed, in one line without names, or nil if it can.
    func problem() -> String?

    /// Returns the current measurements for `/metrics`.
    func metrics() -> PrometheusText

    /// Returns the whole state as JSON in one line. ``changes()`` starts to track changes at the first snapshot.
    func snapshot() -> [UInt8]

    /// Returns the changes since the last call as JSON in one line, or nil if there are none. They may repeat what a
    /// snapshot contained; pages must accept the same change twice.
    func changes() -> [UInt8]?

    /// Called when the last watcher has left: changes need not be tracked until the next snapshot.
    func forget()
}

/// A static file of a dashboard.
public struct DashboardFile: Equatable, Sendable {
    /// Media type, such as `text/html; charset=utf-8`.
    public var type: String
    /// The body of the HTTP response.
    public var bytes: [UInt8]

    /// Creates a file from its bytes.
    public init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}
