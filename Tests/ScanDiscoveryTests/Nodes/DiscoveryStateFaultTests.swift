import ScanBasics
import ScanCluster
import ScanDiscovery
import Testing

@Suite("Discovery under faults")
struct DiscoveryStateFaultTests {
    let alpha = ServiceInstance(name: "alpha", interface: 2)
    let beta = ServiceInstance(name: "beta", interface: 2)
    let lost = DiscoveryError(.daemonLost, "gone")
    let absent = DiscoveryError(.daemonAbsent, "absent")

    @Test("a source that fails is tried again after 0.5 s, then up to every 4 s, and each reason is reported once")
    func sourceRetries() {
        var script = DiscoveryScript(browsing: false)
        #expect(script.handle(.start) == [.browse])
        #expect(script.handle(.browseEnded(absent)) == [.announce(.unavailable(absent))])
        for milliseconds in [500, 1000, 2000, 4000, 4000] {
            #expect(script.pass(.milliseconds(milliseconds - 1)) == [])
            #expect(script.pass(.milliseconds(1)) == [.browse])
            #expect(script.handle(.browseEnded(absent)) == [])
        }
        _ = script.pass(.seconds(4))
        #expect(script.handle(.browseEnded(lost)) == [.announce(.unavailable(lost))])
        _ = script.pass(.seconds(4))
        #expect(script.handle(.browse(.started)) == [.announce(.available)])
        #expect(script.handle(.browseEnded(lost)) == [.announce(.unavailable(lost))])
        #expect(script.pass(.milliseconds(500)) == [.browse])
    }

    @Test("losing the daemon loses no node that the daemon repeats when it is back")
    func daemonRestart() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        #expect(script.handle(.browseEnded(lost)).announced == [.unavailable(lost)])
        #expect(script.pass(.milliseconds(500)) == [.browse])
        _ = script.handle(.browse(.started))
        #expect(script.handle(.browse(.added(alpha))) == [.resolve(alpha)])
        try script.answer(alpha)
        #expect(script.pass(.seconds(60)).announced == [])
    }

    @Test("a node that the daemon does not repeat is lost after a while")
    func notRepeated() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        try script.hear(beta)
        _ = script.pass(.seconds(2))
        _ = script.handle(.browseEnded(lost))
        _ = script.pass(.milliseconds(500))
        _ = script.handle(.browse(.started))
        try script.hear(beta)
        #expect(script.pass(.milliseconds(9_999)).announced == [])
        #expect(script.pass(.seconds(1)).announced == [.lost(try DiscoveryScript.node(.name("alpha"), "alpha"))])
    }

    @Test("the daemon's loss in mid-resolution stops the resolution until the instance is announced again")
    func lossInMidResolution() throws {
        var script = DiscoveryScript()
        _ = script.handle(.browse(.added(alpha)))
        #expect(script.handle(.browseEnded(lost)) == [.stopResolving(alpha), .announce(.unavailable(lost))])
        #expect(script.pass(.milliseconds(500)) == [.browse])
        #expect(script.handle(.browse(.started)) == [.announce(.available)])
        #expect(script.handle(.browse(.added(alpha))) == [.resolve(alpha)])
    }

    @Test("a ghost is offered once, and again only after 30 s, 60 s and so on")
    func ghost() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        #expect(script.pass(.seconds(2)).announced.count == 1)
        for pause in [30, 60, 120, 240, 300, 300] {
            #expect(script.handle(.report(.failed, of: .name("alpha"))) == [])
            #expect(script.pass(.seconds(pause) - .milliseconds(1)) == [])
            #expect(script.pass(.milliseconds(1)) == [.resolve(alpha)])
            try script.answer(alpha)
            #expect(script.pass(.seconds(2)).announced.count == 1)
        }
    }

    @Test("the second protocol family of a ghost's announcement is no reason to try it again")
    func ghostSecondFamily() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.failed, of: .name("alpha")))
        #expect(script.handle(.browse(.added(alpha))) == [])
        #expect(script.pass(.seconds(20)) == [])
    }

    @Test("a ghost that no longer resolves is lost")
    func expiredGhost() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.failed, of: .name("alpha")))
        _ = script.pass(.seconds(30))
        #expect(script.handle(.resolutionEnded(alpha)) == [.stopResolving(alpha)])
        #expect(script.pass(.milliseconds(100)).announced == [.lost(try DiscoveryScript.node(.name("alpha"), "alpha"))])
    }

    @Test("a node set aside is offered at once when it is announced anew")
    func announcedAnew() throws {
        var script = DiscoveryScript()
        let id = SystemID(high: 1, low: 1)
        try script.hear(alpha, id: id)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.failed, of: .identity(id)))
        _ = script.pass(.seconds(2))
        try script.hear(ServiceInstance(name: "alpha", interface: 3), id: id)
        #expect(script.pass(.seconds(2)).announced == [.found(try DiscoveryScript.node(.identity(id), "alpha"))])
    }

    @Test("a node set aside is offered at once when the restarted daemon repeats it")
    func repeatedAfterRestart() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.failed, of: .name("alpha")))
        _ = script.handle(.browseEnded(lost))
        _ = script.pass(.milliseconds(500))
        _ = script.handle(.browse(.started))
        try script.hear(alpha)
        #expect(script.pass(.seconds(2)).announced == [.found(try DiscoveryScript.node(.name("alpha"), "alpha"))])
    }

    @Test("a node whose connection ended is offered after 1 s, 2 s and so on, and soon again once it was back")
    func connectionEnded() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.connected, of: .name("alpha")))
        #expect(script.pass(.seconds(600)) == [])
        var outcome = ConnectionOutcome.ended
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            _ = script.handle(.report(outcome, of: .name("alpha")))
            #expect(script.pass(.seconds(pause) - .milliseconds(1)) == [])
            #expect(script.pass(.milliseconds(1)) == [.resolve(alpha)])
            try script.answer(alpha)
            #expect(script.pass(.seconds(2)).announced.count == 1)
            outcome = .failed
        }
        _ = script.handle(.report(.connected, of: .name("alpha")))
        _ = script.handle(.report(.ended, of: .name("alpha")))
        #expect(script.pass(.seconds(1)) == [.resolve(alpha)])
    }

    @Test("while the daemon is away, a node whose connection ended is offered by what is known")
    func connectionEndedWithoutDaemon() throws {
        var script = DiscoveryScript()
        try script.hear(alpha)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.connected, of: .name("alpha")))
        _ = script.handle(.browseEnded(lost))
        _ = script.handle(.report(.ended, of: .name("alpha")))
        let events = script.pass(.milliseconds(1100)).announced
        #expect(events == [.found(try DiscoveryScript.node(.name("alpha"), "alpha"))])
    }

    @Test("news about a node that is set aside is an offer if it leads elsewhere, else a change")
    func newsAboutSetAside() throws {
        var script = DiscoveryScript()
        let id = SystemID(high: 1, low: 1)
        try script.hear(alpha, id: id)
        try script.hear(beta, id: id, port: 5000)
        _ = script.pass(.seconds(2))
        _ = script.handle(.report(.failed, of: .identity(id)))
        _ = script.handle(.browse(.removed(beta)))
        #expect(script.pass(.seconds(1)).announced == [.found(try DiscoveryScript.node(.identity(id), "alpha"))])
    }

    @Test("a report on an unknown node changes nothing")
    func unknownReport() {
        var script = DiscoveryScript()
        #expect(script.handle(.report(.ended, of: .name("x"))) == [])
        #expect(script.state.nextDeadline == nil)
    }

    @Test("whatever happens, the invariants hold, and each node is found and lost in turn", arguments: 0..<100)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var settings = DiscoverySettings()
        settings.maximumResolutions = 3
        settings.maximumInstances = 6
        let ids = (1...3).map { SystemID(high: $0, low: 0) }
        var script = DiscoveryScript(settings: settings, own: [ids[2]])
        let instances = (1...4).flatMap { name in
            (2...3).map { ServiceInstance(name: "n\(name)", interface: UInt32($0)) }
        }
        var known: Set<DiscoveredNode.ID> = []
        for step in 0..<400 {
            let instance = try #require(instances.randomElement(using: &random))
            let id = Bool.random(using: &random) ? ids.randomElement(using: &random) : nil
            var actions: [DiscoveryState.Action]
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2: actions = script.handle(.browse(.added(instance)))
            case 3: actions = script.handle(.browse(.removed(instance)))
            case 4: actions = script.handle(.resolutionEnded(instance))
            case 5: actions = script.handle(.browseEnded(lost))
            case 6: actions = script.handle(.browse(.started))
            case 7:
                let outcome = [ConnectionOutcome.connected, .ended, .failed].randomElement(using: &random)
                let node = id.map(DiscoveredNode.ID.identity) ?? .name(instance.name)
                actions = script.handle(.report(try #require(outcome), of: node))
            case 8...9:
                actions = []
                try script.answer(instance, id: id, ["10.0.0.\(Int.random(in: 1...9, using: &random))"])
            default: actions = script.pass(.milliseconds(Int.random(in: 1...20_000, using: &random)))
            }
            for event in actions.announced {
                switch event {
                case .found(let node): known.insert(node.id)
                case .changed(let node): #expect(known.contains(node.id), "seed \(seed), step \(step)")
                case .lost(let node): #expect(known.remove(node.id) != nil, "seed \(seed), step \(step)")
                case .available, .unavailable: break
                }
            }
            #expect(!known.contains(.identity(ids[2])), "seed \(seed), step \(step)")
        }
    }
}
