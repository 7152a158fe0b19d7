public import ScanCluster
public import ScanSecurity

extension RemoteNodes {
    /// How a connection attempt to a discovered node went.
    public enum DialOutcome: Equatable, Sendable {
        /// The node is in use, through this connection or another one.
        case connected
        /// The connection was made and has ended.
        case ended
        /// No address led to the node.
        case failed(ScanError)
    }

    /// Makes one attempt at a discovered node, over all its addresses, unless it is connected already.
    ///
    /// - Parameters:
    ///   - peer: the node. If it claims the identity of a node that is connected, no attempt is made.
    ///   - keys: cluster keys that it claims to accept; those of them that this coordinator has are offered, or else all.
    ///   - onOutcome: called with the outcome, and again when the connection ends: the node is not dialled again by
    ///     itself.
    public func dial(
        _ peer: Systems.Peer, keys: [KeyFingerprint] = [], onOutcome: @escaping @Sendable (DialOutcome) -> Void
    ) {
        loop.execute {
            guard !self.isClosed else { return }
            let link = self.link(discovered: peer.key)
            let isThere = self.links.contains {
                $0 !== link && $0.state.status == .joined && $0.identity == peer.identity
            }
            if isThere, link.state.status != .connecting {
                link.stand(behind: peer, onOutcome: onOutcome)
            } else {
                link.dial(peer, keys: keys, onOutcome: onOutcome)
            }
        }
    }

    /// The node is announced no longer. If it is connected, it is forgotten when its connection ends.
    public func forget(_ key: String) {
        loop.execute {
            self.departing.insert(key)
            self.forgetDeparted()
        }
    }

    /// Offers these keys from now on. Connections that were made with others stay.
    package func use(_ keys: KeyRing) { loop.execute { self.keys = keys } }

    private func link(discovered key: String) -> NodeLink {
        departing.remove(key)
        if let link = links.first(where: { $0.key == key }) { return link }
        let link = NodeLink(
            discovered: key, keys: { [weak self] in self?.keys }, systems: systems, options: options, loop: loop
        ) { [weak self] in
            self?.changed($0)
        }
        links.append(link)
        return link
    }

    func forgetDeparted() {
        guard !departing.isEmpty else { return }
        links.removeAll { link in
            guard let key = link.key, departing.contains(key) else { return false }
            switch link.state.status {
            case .connecting, .joined: return false
            case .duplicate, .failed, .closed: return true
            }
        }
        departing.formIntersection(links.compactMap(\.key))
    }
}
