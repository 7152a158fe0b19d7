/// The content of a dashboard. Its methods are called on the server's threads.
public protocol DashboardSource: Sendable {
    /// The file at a path, such as `/`; nil if there is none. `/events`, `/metrics` and `/healthz` are the server's own.
    func file(at path: String) -> DashboardFile?

    /// Why the work cannot proceed now, in a line without names; nil if it can.
    func problem() -> String?

    func metrics() -> PrometheusText

    /// The whole state, as JSON in one line. ``changes()`` begins at the first snapshot.
    func snapshot() -> [UInt8]

    /// The changes since the last call, as JSON in one line; nil if there are none. They may repeat what a snapshot
    /// contained; a page may apply them twice.
    func changes() -> [UInt8]?

    /// The last watcher has left: changes need not be tracked until the next snapshot.
    func forget()
}

/// A file of a dashboard.
public struct DashboardFile: Equatable, Sendable {
    /// Media type, such as `text/html; charset=utf-8`.
    public var type: String
    /// Contents.
    public var bytes: [UInt8]

    /// A file of these bytes.
    public init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}
