public import ScanCluster
public import ScanSecurity

extension RemoteNodes {
    /// A node that was found, and where to try it.
    public struct Visit: Sendable {
        /// What tells it from other nodes that are found; the same each time it is found.
        public var key: String
        /// The name under which it was found.
        public var name: String
        /// Numeric addresses, the most promising first; link-local ones with their interface, as `fe80::1%eth0`.
        public var addresses: [SocketAddress]
        /// Identity that it claims; spares the try if a node of that identity is connected.
        public var identity: SystemID?
        /// Cluster keys that it claims to accept; those of them that this coordinator has are offered, or else all.
        public var keys: [KeyFingerprint]

        /// A node that was found.
        public init(
            key: String, name: String, addresses: [SocketAddress], identity: SystemID? = nil,
            keys: [KeyFingerprint] = []
        ) {
            self.key = key
            self.name = name
            self.addresses = addresses
            self.identity = identity
            self.keys = keys
        }
    }

    /// How a visit went.
    public enum VisitOutcome: Equatable, Sendable {
        /// The node is in use, through this visit or another address.
        case connected
        /// The connection was made and has ended.
        case ended
        /// No address led to the node.
        case failed(ScanError)
    }

    /// Makes one try at a node that was found, over all its addresses, unless it is connected already.
    ///
    /// - Parameters:
    ///   - visit: The node.
    ///   - onOutcome: Is told how it went, and when the connection ends: then the node is not tried again by itself.
    public func visit(_ visit: Visit, onOutcome: @escaping @Sendable (VisitOutcome) -> Void) {
        loop.execute {
            guard !self.isClosed else { return }
            let link = self.link(found: visit.key)
            let isThere = self.links.contains {
                $0 !== link && $0.state.status == .joined && $0.identity == visit.identity
            }
            if isThere, link.state.status != .connecting {
                link.stand(behind: visit, onOutcome: onOutcome)
            } else {
                link.visit(visit, onOutcome: onOutcome)
            }
        }
    }

    /// The node is not to be found any more. If it is connected, it is forgotten when its connection ends.
    public func forget(_ key: String) {
        loop.execute {
            self.departing.insert(key)
            self.forgetDeparted()
        }
    }

    private func link(found key: String) -> NodeLink {
        departing.remove(key)
        if let link = links.first(where: { $0.key == key }) { return link }
        let link = NodeLink(found: key, keys: keys, systems: systems, options: options, loop: loop) { [weak self] in
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
