public import ScanCluster
public import ScanSecurity

extension RemoteNodes {
    /// The outcome of a connection attempt to a discovered node.
    public enum DialOutcome: Equatable, Sendable {
        /// The node is in use, through this connection or another one.
        case connected
        /// The connection was made and has ended.
        case ended
        /// The node was reached at none of its addresses.
        case failed(ConnectError)
    }

    /// Makes one attempt at a discovered node, over all its addresses, unless it is connected already.
    ///
    /// - Parameters:
    ///   - peer: the node. If it claims the identity of a node that is connected, no attempt is made.
    ///   - keys: cluster keys that it claims to accept. Only those of them that this coordinator has are offered; all,
    ///     if it has none of them.
    ///   - onOutcome: called with the outcome, and again when the connection ends: the node is not dialled again
    ///     automatically.
    public func dial(
        _ peer: Systems.Peer, keys: [KeyFingerprint] = [], onOutcome: @escaping @Sendable (DialOutcome) -> Void
    ) {
        loop.execute {
            guard let (number, actions) = self.links.dial(peer.key, identity: peer.identity, at: self.loop.now) else {
                return
            }
            let shell = self.shells[number] ?? NodeLink(number, of: self)
            self.shells[number] = shell
            shell.point(at: peer, keys: keys, onOutcome: onOutcome)
            self.perform(actions)
        }
    }

    /// The node is no longer announced. If it is connected, it is removed when its connection ends.
    public func forget(_ key: String) {
        loop.execute { self.perform(self.links.forget(key)) }
    }

    /// The node must not be used: it leaves the systems, and its connection or attempt ends. Nothing more is reported.
    package func drop(_ key: String) { loop.execute { self.perform(self.links.drop(key, at: self.loop.now)) } }

    /// Offers these keys from now on. Connections that were made with others stay.
    package func use(_ keys: KeyRing) { loop.execute { self.keys = keys } }
}
