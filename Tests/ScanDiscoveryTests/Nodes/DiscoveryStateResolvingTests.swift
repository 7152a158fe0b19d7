import ScanCluster
import ScanDiscovery
import Testing

@Suite("Resolving announcements")
struct DiscoveryStateResolvingTests {
    let alpha = ServiceInstance(name: "alpha", interface: 2)

    @Test("no more resolutions are in progress than the limit; the next starts when one ends")
    func limit() throws {
        var settings = DiscoverySettings()
        settings.maximumResolutions = 2
        var script = DiscoveryScript(settings: settings)
        let instances = (1...4).map { ServiceInstance(name: "n\($0)", interface: 2) }
        var started: [DiscoveryState.Action] = []
        for instance in instances { started += script.handle(.browse(.added(instance))) }
        #expect(started == [.resolve(instances[0]), .resolve(instances[1])])
        try script.answer(instances[0])
        let next = script.handle(.resolutionEnded(instances[0]))
        #expect(next == [.stopResolving(instances[0]), .resolve(instances[2])])
        #expect(
            script.handle(.browse(.removed(instances[1]))) == [.stopResolving(instances[1]), .resolve(instances[3])])
    }

    @Test("a process that waits for no node resolves one every two seconds, until it hurries")
    func interval() throws {
        var script = DiscoveryScript(settings: .unhurried)
        let instances = (1...4).map { ServiceInstance(name: "n\($0)", interface: 2) }
        let started = instances.flatMap { script.handle(.browse(.added($0))) }
        #expect(started == [.resolve(instances[0])])
        try script.answer(instances[0])
        #expect(script.handle(.resolutionEnded(instances[0])) == [.stopResolving(instances[0])])
        #expect(!script.pass(.milliseconds(1_999)).contains(.resolve(instances[1])))
        #expect(script.pass(.milliseconds(1)) == [.resolve(instances[1])])
        #expect(script.pass(.seconds(3)) == [])
        #expect(script.handle(.expedite) == [.resolve(instances[2]), .resolve(instances[3])])
    }

    @Test("in a cluster of forty nodes, all that wait for no node start at most four resolutions per second together")
    func intervalOfManyNodes() {
        var script = DiscoveryScript(settings: .unhurried)
        for number in 1...40 {
            _ = script.handle(.browse(.added(ServiceInstance(name: "n\(number)", interface: 2))))
        }
        let isResolution = { (action: DiscoveryState.Action) in if case .resolve = action { true } else { false } }
        let started = (0..<1_000).reduce(0) { sum, _ in sum + script.pass(.milliseconds(100)).count(where: isResolution)
        }
        // In 100 s: the first after two seconds, then one every ten.
        #expect((9...11).contains(started), "\(started) resolutions in 100 s")
        #expect(script.handle(.expedite).count(where: isResolution) >= 28)
    }

    @Test("an instance that does not resolve is tried again, ever less often")
    func retries() {
        var script = DiscoveryScript()
        _ = script.handle(.browse(.added(alpha)))
        #expect(script.pass(.milliseconds(5_999)) == [])
        #expect(script.pass(.milliseconds(1)) == [.stopResolving(alpha)])
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(script.pass(.seconds(pause) - .milliseconds(1)) == [])
            #expect(script.pass(.milliseconds(1)) == [.resolve(alpha)])
            #expect(script.handle(.resolutionEnded(alpha)) == [.stopResolving(alpha)])
        }
    }

    @Test("further addresses are waited for only a while after the first")
    func addressWindow() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        let actions = script.pass(.milliseconds(999))
        #expect(!actions.contains(.stopResolving(alpha)))
        #expect(script.pass(.milliseconds(1)) == [.stopResolving(alpha)])
    }

    @Test("an answer after the resolution's end changes nothing")
    func lateAnswer() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        try script.answer(alpha, ["10.0.0.9"])
        #expect(script.handle(.resolutionEnded(alpha)) == [])
        #expect(script.pass(.seconds(2)) == [])
    }

    @Test("an address before the answer, or of an unknown instance, changes nothing")
    func earlyAddress() throws {
        var script = DiscoveryScript()
        _ = script.handle(.browse(.added(alpha)))
        let address = try #require(HostAddress("10.0.0.1"))
        #expect(script.handle(.address(alpha, address, isOnThisMachine: false)) == [])
        #expect(script.handle(.address(ServiceInstance(name: "x"), address, isOnThisMachine: false)) == [])
        #expect(script.pass(.seconds(1)) == [])
    }

    @Test("an answer that changes under way replaces the former, and another host is looked up instead")
    func changingAnswer() throws {
        var script = DiscoveryScript()
        try script.hear(alpha, ["10.0.0.1"])
        let moved = ResolvedService(host: "b.local.", port: 5000, txt: TXTRecord(["v": "1", "slots": "2", "key": "k"]))
        #expect(script.handle(.resolved(alpha, moved)) == [.lookUp(alpha, host: "b.local.")])
        #expect(script.handle(.resolved(alpha, moved)) == [])
        _ = script.handle(.address(alpha, try #require(HostAddress("10.0.0.2")), isOnThisMachine: false))
        let node = try DiscoveryScript.node(.name("alpha"), "alpha", ["10.0.0.2"], port: 5000)
        #expect(script.pass(.seconds(1)).announced == [.found(node)])
    }

    @Test("an instance removed while it is resolved is forgotten")
    func removedInMidResolution() throws {
        var script = DiscoveryScript()
        _ = script.handle(.browse(.added(alpha)))
        #expect(script.handle(.browse(.removed(alpha))) == [.stopResolving(alpha)])
        try script.answer(alpha)
        #expect(script.pass(.seconds(10)) == [])
    }
}
