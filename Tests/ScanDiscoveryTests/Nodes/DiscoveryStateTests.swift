import ScanCluster
import ScanDiscovery
import Testing

@Suite("Nodes from announcements")
struct DiscoveryStateTests {
    let alpha = ServiceInstance(name: "alpha", interface: 2)
    let alphaElsewhere = ServiceInstance(name: "alpha", interface: 3)
    let id = SystemID(high: 0x0123_4567_0000_0000, low: 1)

    @Test("an announced instance is resolved, its host looked up, and told after a quiet moment")
    func found() throws {
        var script = DiscoveryScript()
        #expect(script.handle(.browse(.added(alpha))) == [.resolve(alpha)])
        let service = ResolvedService(
            host: "a.local.", port: 4000, txt: TXTRecord(["v": "1", "slots": "2", "key": "k"]))
        #expect(script.handle(.resolved(alpha, service)) == [.lookUp(alpha, host: "a.local.")])
        let address = try #require(HostAddress("10.0.0.1"))
        #expect(script.handle(.address(alpha, address, isOnThisMachine: false)) == [])
        #expect(script.pass(.milliseconds(99)) == [])
        #expect(script.pass(.milliseconds(1)) == [.announce(.found(try DiscoveryScript.node(.name("alpha"), "alpha")))])
        #expect(script.pass(.seconds(1)) == [.stopResolving(alpha)])
        #expect(script.state.nextDeadline == nil)
    }

    @Test("addresses that arrive together are told together, the most promising first")
    func quietInterval() throws {
        var script = DiscoveryScript()
        try script.hear(alpha, ["fe80::1%1"])
        #expect(script.pass(.milliseconds(90)).announced == [])
        _ = script.handle(.address(alpha, try #require(HostAddress("10.0.0.1")), isOnThisMachine: false))
        #expect(script.pass(.milliseconds(99)).announced == [])
        let node = try DiscoveryScript.node(.name("alpha"), "alpha", ["10.0.0.1", "fe80::1%1"])
        #expect(script.pass(.milliseconds(1)).announced == [.found(node)])
    }

    @Test("a stream of news is reported after the longest silence")
    func longestSilence() throws {
        var script = DiscoveryScript()
        try script.hear(alpha, ["10.0.0.1"])
        var told: [DiscoveryEvent] = []
        for number in 2...7 {
            told += script.pass(.milliseconds(90)).announced
            let address = try #require(HostAddress("10.0.0.\(number)"))
            _ = script.handle(.address(alpha, address, isOnThisMachine: false))
        }
        #expect(told.count == 1)
    }

    @Test("an instance added once for each protocol family is one node, lost when both are removed")
    func families() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        #expect(script.handle(.browse(.added(alpha))) == [])
        #expect(script.pass(.seconds(2)).announced.count == 1)
        #expect(script.handle(.browse(.removed(alpha))) == [])
        #expect(script.pass(.seconds(2)) == [])
        #expect(script.handle(.browse(.removed(alpha))) == [])
        #expect(script.pass(.seconds(2)).announced == [.lost(try DiscoveryScript.node(.name("alpha"), "alpha"))])
    }

    @Test("what was never added cannot be removed")
    func unknownRemoval() {
        var script = DiscoveryScript()
        #expect(script.handle(.browse(.removed(alpha))) == [])
    }

    @Test("several interfaces and names with one identity are one node")
    func identityMerges() throws {
        var script = DiscoveryScript()
        let other = ServiceInstance(name: "beta-01234567", interface: 2)
        try script.hear(ServiceInstance(name: "alpha-01234567", interface: 2), id: id, ["10.0.0.1"])
        try script.hear(ServiceInstance(name: "alpha-01234567", interface: 3), id: id, ["192.168.0.1"])
        try script.hear(other, id: id, port: 5000, ["10.0.0.1"])
        let events = script.pass(.seconds(2)).announced
        let ten = try #require(HostAddress("10.0.0.1"))
        var expected = try DiscoveryScript.node(.identity(id), "alpha", ["10.0.0.1", "192.168.0.1"])
        expected.addresses.insert(SocketAddress(host: "\(ten)", port: 5000), at: 1)
        #expect(events == [.found(expected)])

        _ = script.handle(.browse(.removed(other)))
        expected.addresses.remove(at: 1)
        #expect(script.pass(.seconds(2)).announced == [.changed(expected)])
    }

    @Test("the process's own identity is never told")
    func ownIdentity() throws {
        var script = DiscoveryScript(own: [id])
        try script.hear(alpha, id: id)
        #expect(script.pass(.seconds(2)).announced == [])
        _ = script.handle(.browse(.removed(alpha)))
        #expect(script.pass(.seconds(2)).announced == [])
    }

    @Test("a node of this machine is marked")
    func onThisMachine() throws {
        var script = DiscoveryScript()
        try script.hear(alpha, isOnThisMachine: true)
        let node = try DiscoveryScript.node(.name("alpha"), "alpha", isOnThisMachine: true)
        #expect(script.pass(.seconds(2)).announced == [.found(node)])
    }

    @Test(
        "an address where no other host can be is not used",
        arguments: ["0.0.0.0", "224.0.0.251", "127.0.0.1", "::1", "ff02::fb", "::ffff:127.0.0.1"])
    func uselessAddress(text: String) throws {
        var script = DiscoveryScript()
        try script.hear(alpha, [text])
        #expect(script.pass(.seconds(5)).announced == [])
    }

    @Test("loopback is believed on the loopback interface")
    func loopback() throws {
        var script = DiscoveryScript()
        try script.hear(ServiceInstance(name: "alpha", interface: 1), ["127.0.0.1"])
        #expect(script.pass(.seconds(1)).announced.count == 1)
    }

    @Test("port 0 and an empty host are no answer", arguments: [("", 4000), ("a.local.", 0)] as [(String, UInt16)])
    func uselessAnswer(host: String, port: UInt16) {
        var script = DiscoveryScript()
        _ = script.handle(.browse(.added(alpha)))
        #expect(script.handle(.resolved(alpha, ResolvedService(host: host, port: port))) == [.stopResolving(alpha)])
        #expect(script.pass(.seconds(1)) == [.resolve(alpha)])
    }

    @Test("a name is reported without control characters")
    func printableName() throws {
        var script = DiscoveryScript()
        let name = "a\u{1b}[2J"
        try script.hear(ServiceInstance(name: name, interface: 2))
        let node = try DiscoveryScript.node(.name(name), "a\u{fffd}[2J")
        #expect(script.pass(.seconds(1)).announced == [.found(node)])
    }

    @Test("a node has no more addresses than the limit")
    func addressLimit() throws {
        var script = DiscoveryScript()
        try script.hear(alpha, (1...40).map { "10.0.0.\($0)" })
        guard case .found(let node) = script.pass(.seconds(1)).announced.first else {
            Issue.record("no node was found")
            return
        }
        #expect(node.addresses.count == DiscoverySettings().maximumAddresses)
    }

    @Test("what a flooded network announces beyond the limit is ignored")
    func instanceLimit() {
        var settings = DiscoverySettings()
        settings.maximumInstances = 3
        var script = DiscoveryScript(settings: settings)
        let resolved = (1...10).flatMap {
            script.handle(.browse(.added(ServiceInstance(name: "n\($0)", interface: 2))))
        }
        #expect(resolved.count == 3)
    }
}
