import ScanCluster
import ScanNetwork
import Testing

@Suite("The links of a coordinator")
struct PeerLinksTests {
    let now = Instant(nanoseconds: 0)
    let alpha = SystemID(high: 1, low: 1)
    let beta = SystemID(high: 2, low: 2)
    let error = ConnectError(.lost, "is off")

    func handle(_ links: inout PeerLinks, _ event: LinkState.Event, of link: Int) -> [PeerLinks.Action] {
        links.handle(event, of: link, at: now, jitter: 1)
    }

    func dial(
        _ links: inout PeerLinks, _ key: String, _ identity: SystemID?
    ) throws -> (number: Int, actions: [PeerLinks.Action]) {
        let result = links.dial(key, identity: identity, at: now)
        return try #require(result)
    }

    /// Links to two addresses, the first of which leads to alpha, and the second also.
    func duplicates() -> PeerLinks {
        var links = PeerLinks(count: 2)
        #expect(links.start(at: now) == [.link(0, .dial), .link(1, .dial)])
        _ = handle(&links, .connected(alpha, hasJoined: true), of: 0)
        #expect(!links.isSettled)
        #expect(
            handle(&links, .connected(alpha, hasJoined: false), of: 1)
                == [.link(1, .disconnect), .link(1, .report(.connected))])
        #expect(links.isSettled)
        #expect(links.user(insteadOf: 1) == 0)
        return links
    }

    @Test("dial the other address of a node when the connection to it is lost")
    func takeOver() {
        var links = duplicates()
        let actions = handle(&links, .lost(error), of: 0)
        #expect(actions.last == .link(1, .dial))
        #expect(actions.contains(.link(0, .report(.ended))))
        _ = handle(&links, .connected(alpha, hasJoined: true), of: 1)
        #expect(links.user(insteadOf: 0) == 1)
    }

    @Test("do not dial a discovered node that is connected, and dial it once that connection is lost and it is offered")
    func discovered() throws {
        var links = PeerLinks(count: 1)
        _ = links.start(at: now)
        _ = handle(&links, .connected(alpha, hasJoined: true), of: 0)
        let (number, actions) = try dial(&links, "a", alpha)
        #expect(actions == [.link(number, .report(.connected))])
        #expect(handle(&links, .lost(error), of: 0).last == .link(number, .report(.ended)))
        #expect(try dial(&links, "a", alpha).actions == [.link(number, .dial)])
    }

    @Test("keep the links of other nodes when one is lost")
    func others() throws {
        var links = PeerLinks(count: 2)
        _ = links.start(at: now)
        _ = handle(&links, .connected(alpha, hasJoined: true), of: 0)
        _ = handle(&links, .connected(beta, hasJoined: true), of: 1)
        let number = try dial(&links, "b", beta).number
        let actions = handle(&links, .lost(error), of: 0)
        #expect(!actions.contains(.link(number, .report(.ended))))
    }

    @Test("are removed when their node is announced no longer, a connected one when its connection ends")
    func forget() throws {
        var links = PeerLinks(count: 0)
        #expect(links.isSettled)
        let first = try dial(&links, "a", nil).number
        let second = try dial(&links, "b", nil).number
        _ = handle(&links, .connected(alpha, hasJoined: true), of: first)
        _ = handle(&links, .failed(error), of: second)
        let forgotten = links.forget("a")
        #expect(forgotten.isEmpty)
        #expect(links.forget("b") == [.remove(second)])
        #expect(handle(&links, .lost(error), of: first) == [.link(first, .report(.ended)), .remove(first)])
        #expect(links.links.isEmpty)
        #expect(handle(&links, .retry, of: first).isEmpty)
    }

    @Test("are closed and removed when their node must not be used, and a link that stood by is dialled instead")
    func drop() throws {
        var links = PeerLinks(count: 1)
        _ = links.start(at: now)
        let number = try dial(&links, "a", alpha).number
        _ = handle(&links, .connected(alpha, hasJoined: true), of: number)
        _ = handle(&links, .connected(alpha, hasJoined: false), of: 0)
        #expect(links.drop("a", at: now) == [.link(number, .close), .link(0, .dial), .remove(number)])
        let again = links.drop("a", at: now)
        #expect(again.isEmpty && links.links.count == 1)
    }

    @Test("stay when their node is announced again in time")
    func announcedAgain() throws {
        var links = PeerLinks(count: 0)
        let number = try dial(&links, "a", nil).number
        _ = handle(&links, .connected(alpha, hasJoined: true), of: number)
        _ = links.forget("a")
        #expect(try dial(&links, "a", alpha).actions == [.link(number, .report(.connected))])
        #expect(handle(&links, .lost(error), of: number) == [.link(number, .report(.ended))])
    }

    @Test("dial nothing once they are closed")
    func close() {
        var links = duplicates()
        #expect(links.close(at: now) == [.link(0, .close), .link(1, .close)])
        let dialled = links.dial("a", identity: nil, at: now)
        #expect(dialled?.number == nil)
        let started = links.start(at: now)
        #expect(started.isEmpty)
        #expect(!links.links.contains { $0.state.status != .closed })
    }
}
