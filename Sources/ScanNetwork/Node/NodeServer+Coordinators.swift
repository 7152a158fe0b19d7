extension NodeServer {
    /// A coordinator that is connected.
    public struct Coordinator: Equatable, Sendable {
        /// The name in its hello.
        public var name: String
        /// Its address and port.
        public var address: String
        /// Its tasks that run or wait.
        public var inFlight: Int
        /// Its tasks that were answered with an output or a failure.
        public var done: Int
        /// Its tasks that were cancelled.
        public var cancelled: Int
        /// Number of jobs that its tasks belonged to.
        public var jobs: Int
    }

    /// Passes the connected coordinators, in order of connection, to `take`, which must not block.
    public func coordinators(_ take: @escaping @Sendable ([Coordinator]) -> Void) {
        loop.execute {
            take(
                self.sessions.sorted { $0.key < $1.key }.compactMap { _, session in
                    let state = session.state
                    return state.peer.map { peer in
                        Coordinator(
                            name: peer.name, address: peer.address, inFlight: state.inFlight, done: state.done,
                            cancelled: state.cancelled, jobs: state.jobCount)
                    }
                })
        }
    }
}
