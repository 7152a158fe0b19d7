import ScanCluster
import ScanDiscovery
import ScanTestSupport
import Testing

@Suite("Discovery over a network in memory", .timeLimit(.minutes(10)))
struct NodeDiscoveryTests {
    let network = InMemoryDiscovery(address: HostAddress("10.0.0.1"))
    let id = SystemID(high: 0x0123_4567_0000_0000, low: 1)

    /// Without pauses, so that tests wait for nothing but events.
    static var settings: DiscoverySettings {
        var settings = DiscoverySettings()
        settings.quietInterval = .zero
        settings.longestSilence = .zero
        settings.addressWindow = .zero
        settings.sourceRetry = RetrySchedule(first: .zero, longest: .zero)
        settings.reconnection = RetrySchedule(first: .zero, longest: .zero)
        settings.recoveryGrace = .zero
        return settings
    }

    func service(_ name: String, id: SystemID) -> ServiceAdvertisement {
        let facts = NodeAdvertisement(versions: 1...1, slots: 2, keyFingerprint: nil, id: id)
        return ServiceAdvertisement(
            name: ServiceAdvertisement.instanceName(name, of: id), port: 4000, txt: facts.record)
    }

    @Test("a node that starts is found, one that stops is lost, and its advertiser tells its name")
    func startAndStop() async throws {
        let discovery = NodeDiscovery(network, settings: Self.settings)
        let browsing = Task { await discovery.run() }
        var events = discovery.events.makeAsyncIterator()
        #expect(await events.next() == .available)

        let advertiser = NodeAdvertiser(network, service("alpha", id: id))
        let advertising = Task { await advertiser.run() }
        var news = advertiser.events.makeAsyncIterator()
        #expect(await news.next() == .advertised(name: "alpha-01234567"))
        guard case .found(let node) = await events.next() else {
            Issue.record("no node was found")
            return
        }
        #expect(node.id == .identity(id))
        #expect(node.name == "alpha")
        #expect(node.addresses.map(\.description) == ["10.0.0.1:4000"])
        #expect(node.advertisement.slots == 2)

        advertising.cancel()
        #expect(await news.next() == nil)
        #expect(await events.next() == .lost(node))
        browsing.cancel()
        #expect(await events.next() == nil)
    }

    @Test("after a restart of the daemon the node is announced and found again")
    func daemonRestart() async throws {
        let advertiser = NodeAdvertiser(
            network, service("alpha", id: id), retry: RetrySchedule(first: .zero, longest: .zero))
        let advertising = Task { await advertiser.run() }
        var news = advertiser.events.makeAsyncIterator()
        _ = await news.next()
        let discovery = NodeDiscovery(network, settings: Self.settings)
        let browsing = Task { await discovery.run() }
        var events = discovery.events.makeAsyncIterator()
        #expect(await events.next() == .available)
        guard case .found(let node) = await events.next() else {
            Issue.record("no node was found")
            return
        }
        discovery.report(.connected, of: node.id)

        let fault = DiscoveryError(.daemonLost, "killed")
        network.stop(fault)
        #expect(await news.next() == .unavailable(fault))
        #expect(await events.next() == .unavailable(fault))
        network.start()
        #expect(await news.next() == .advertised(name: "alpha-01234567"))
        var event = await events.next()
        #expect(event == .available)
        // It counts as lost if the browser was back before the node was.
        repeat {
            discovery.report(.ended, of: node.id)
            event = await events.next()
        } while event == .lost(node)
        #expect(event == .found(node))
        browsing.cancel()
        advertising.cancel()
    }

    @Test("a list of nodes is found at its addresses, by name and by number")
    func staticList() async throws {
        let list = StaticDiscovery([
            .init(host: "127.0.0.1", port: 4000), .init(host: "localhost", port: 4001),
            .init(host: "fe80::1%lo", port: 4002),
        ])
        let discovery = NodeDiscovery(list, settings: Self.settings)
        let browsing = Task { await discovery.run() }
        var found: [String: [String]] = [:]
        for await event in discovery.events {
            if case .found(let node) = event { found[node.name] = node.addresses.map(\.description) }
            if found.count == 3 { break }
        }
        #expect(found["127.0.0.1:4000"] == ["127.0.0.1:4000"])
        #expect(found["localhost:4001"]?.contains { $0 == "127.0.0.1:4001" || $0 == "[::1]:4001" } == true)
        #expect(found["[fe80::1%lo]:4002"] == ["[fe80::1%lo]:4002"])
        browsing.cancel()
    }

    @Test("a list of nodes cannot announce, and contains no others")
    func staticLimits() async {
        let list = StaticDiscovery([.init(host: "127.0.0.1", port: 4000)])
        let error = await #expect(throws: DiscoveryError.self) {
            for try await _ in list.register(service("alpha", id: id)) {}
        }
        #expect(error?.code == .unsupported)
        await #expect(throws: DiscoveryError.self) {
            for try await _ in list.resolve(ServiceInstance(name: "other")) {}
        }
        await #expect(throws: DiscoveryError.self) {
            for try await _ in list.addresses(of: "host.invalid", interface: 0) {}
        }
    }
}
