/// How nodes got the bulk bytes of attempts: sent, or read by the nodes themselves.
public struct BulkTraffic: Equatable, Sendable {
    /// Attempts and their bytes.
    public struct Total: Equatable, Sendable {
        /// Attempts with bulk bytes.
        public var attempts = 0
        /// Their bytes.
        public var bytes = 0

        /// No attempt.
        public init() {}

        mutating func add(_ bytes: Int) {
            attempts += 1
            self.bytes += bytes
        }
    }

    /// Sent to nodes, whether or not these answered.
    public internal(set) var sent = Total()
    /// Of those that were sent, the ones that were compressed, with the bytes that they had before.
    public internal(set) var compressed = Total()
    /// Read by nodes from their own storage, by a reference.
    public internal(set) var read = Total()

    /// No traffic.
    public init() {}

    static func += (left: inout BulkTraffic, right: BulkTraffic) {
        left.sent.attempts += right.sent.attempts
        left.sent.bytes += right.sent.bytes
        left.compressed.attempts += right.compressed.attempts
        left.compressed.bytes += right.compressed.bytes
        left.read.attempts += right.read.attempts
        left.read.bytes += right.read.bytes
    }
}
