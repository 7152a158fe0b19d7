package import ScanCluster

/// Decides for all links of a coordinator: which of several links to one node is used, which replaces it when it is
/// lost, and when a link to a node that is no longer announced is removed. Pure.
package struct PeerLinks: Sendable {
    package enum Action: Equatable, Sendable {
        /// Perform the action on the link of this number.
        case link(Int, LinkState.Action)
        /// Remove the link of this number.
        case remove(Int)
    }

    /// A link, and what is known of its node before it is connected.
    package struct Link: Sendable {
        package let number: Int
        /// Key of a discovered node; nil for an address that was given.
        package let key: String?
        /// Identity that a discovered node claims.
        fileprivate(set) var claim: SystemID?
        package fileprivate(set) var state: LinkState

        /// Identity of the node, as far as it is known.
        package var identity: SystemID? { state.status == .joined ? state.identity : claim ?? state.identity }
    }

    /// The links: those of addresses that were given, in that order, then those of discovered nodes.
    package private(set) var links: [Link] = []
    /// Keys of nodes that are no longer announced; their links are removed once they are not connected.
    private var departing: Set<String> = []
    private var nextNumber = 0
    private var isClosed = false

    /// Links to `count` addresses, numbered from 0.
    package init(count: Int) { for _ in 0..<count { _ = add(key: nil) } }

    /// Whether the first attempt of every address that was given has ended.
    package var isSettled: Bool { links.allSatisfy { $0.key != nil || $0.state.status != .connecting } }

    /// The addresses that were given are needed.
    package mutating func start(at now: Instant) -> [Action] {
        guard !isClosed else { return [] }
        return links.filter { $0.key == nil }.flatMap { handle(.start, of: $0.number, at: now, jitter: 0) }
    }

    /// A discovered node, which claims an identity, is needed.
    /// - Returns: the number of its link, and what to do; nil after ``close()``.
    package mutating func dial(
        _ key: String, identity claim: SystemID?, at now: Instant
    ) -> (number: Int, actions: [Action])? {
        guard !isClosed else { return nil }
        departing.remove(key)
        let number = links.first { $0.key == key }?.number ?? add(key: key)
        update(number) { $0.claim = claim }
        let isInUse = links.contains {
            $0.number != number && $0.state.status == .joined && $0.identity == claim
        }
        return (number, handle(isInUse ? .standBy : .start, of: number, at: now, jitter: 0))
    }

    /// Something happened on a link.
    package mutating func handle(
        _ event: LinkState.Event, of number: Int, at now: Instant, jitter: Double
    ) -> [Action] {
        guard let index = links.firstIndex(where: { $0.number == number }) else { return [] }
        let lost = links[index].state.status == .joined ? links[index].state.identity : nil
        var actions = links[index].state.handle(event, at: now, jitter: jitter).map { Action.link(number, $0) }
        if let lost, links[index].state.status != .joined { actions += free(lost, except: number, at: now) }
        return actions + removeDeparted()
    }

    /// A discovered node is no longer announced. If it is connected, its link is removed when the connection ends.
    package mutating func forget(_ key: String) -> [Action] {
        departing.insert(key)
        return removeDeparted()
    }

    /// A discovered node must not be used: its link is closed and removed.
    package mutating func drop(_ key: String, at now: Instant) -> [Action] {
        guard let link = links.first(where: { $0.key == key }) else { return [] }
        departing.insert(key)
        return handle(.close, of: link.number, at: now, jitter: 0)
    }

    /// No node is needed any more.
    package mutating func close(at now: Instant) -> [Action] {
        isClosed = true
        return links.indices.flatMap { index in
            links[index].state.handle(.close, at: now, jitter: 0).map { .link(links[index].number, $0) }
        }
    }

    /// The link over which the node of link `number` is used.
    package func user(insteadOf number: Int) -> Int? {
        guard let identity = links.first(where: { $0.number == number })?.identity else { return nil }
        return links.first { $0.state.status == .joined && $0.state.identity == identity }?.number
    }

    /// Notifies the links that stand by for a node that was lost.
    private mutating func free(_ identity: SystemID, except number: Int, at now: Instant) -> [Action] {
        var actions: [Action] = []
        for index in links.indices
        where links[index].number != number && links[index].identity == identity && links[index].state.isStandingBy {
            actions += links[index].state.handle(.freed, at: now, jitter: 0).map { .link(links[index].number, $0) }
        }
        return actions
    }

    private mutating func removeDeparted() -> [Action] {
        guard !departing.isEmpty else { return [] }
        let gone = links.filter { link in
            guard let key = link.key, departing.contains(key) else { return false }
            switch link.state.status {
            case .connecting, .joined: return false
            case .duplicate, .failed, .closed: return true
            }
        }.map(\.number)
        links.removeAll { gone.contains($0.number) }
        departing.formIntersection(links.compactMap(\.key))
        return gone.map { .remove($0) }
    }

    private mutating func add(key: String?) -> Int {
        defer { nextNumber += 1 }
        links.append(Link(number: nextNumber, key: key, state: LinkState(isPersistent: key == nil)))
        return nextNumber
    }

    private mutating func update(_ number: Int, _ change: (inout Link) -> Void) {
        guard let index = links.firstIndex(where: { $0.number == number }) else { return }
        change(&links[index])
    }
}
