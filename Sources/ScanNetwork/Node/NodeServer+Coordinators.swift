extension NodeServer {
    /// A coordinator that is connected.
    public struct Coordinator: Equatable, Sendable {
        /// The name it gave itself.
        public var name: String
        /// Where it is.
        public var address: String
        /// Its tasks that run or wait.
        public var inFlight: Int
        /// Its tasks that were done.
        public var done: Int
        /// Its tasks that were given up.
        public var cancelled: Int
        /// Jobs that its tasks belonged to.
        public var jobs: Int
    }

    /// Hands the connected coordinators, in the order in which they came, to `take`, which must not block.
    public func coordinators(_ take: @escaping @Sendable ([Coordinator]) -> Void) {
        loop.execute {
            take(
                self.sessions.sorted { $0.key < $1.key }.compactMap { _, session in
                    guard let peer = session.peer, let connection = session.connection else { return nil }
                    return Coordinator(
                        name: peer.name, address: "\(connection.peer)", inFlight: session.tasks.count,
                        done: session.done, cancelled: session.cancelled, jobs: session.jobs.count)
                })
        }
    }
}
