/// What a dashboard shows. It is asked from the server's threads.
public protocol DashboardSource: Sendable {
    /// The file at a path, such as `/`; nil if there is none. `/events`, `/metrics` and `/healthz` are the server's own.
    func file(at path: String) -> DashboardFile?

    /// Why nothing can go on now, in a line without names; nil if all is well.
    func obstacle() -> String?

    /// The numbers of the moment.
    func metrics() -> PrometheusText

    /// All there is to know, as JSON in one line. ``changes()`` counts from here unless it counts already.
    func snapshot() -> [UInt8]

    /// What is new since the last call, as JSON in one line; nil if nothing is. It may repeat what a snapshot told: a page
    /// that takes it in twice is none the worse.
    func changes() -> [UInt8]?

    /// Nobody watches any more: changes need not be counted until the next snapshot.
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
