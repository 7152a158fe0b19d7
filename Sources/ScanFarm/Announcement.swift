import Foundation
import ScanCluster
import ScanDiscovery
import ScanNetwork
import ScanSecurity

/// The announcement of a serving node, from its creation until it is withdrawn.
struct Announcement: Sendable {
    private let running: Task<Void, Never>
    private let reporting: Task<Void, Never>

    /// Announces the node at `port` through `source`.
    init(
        of node: NodeServer, keys: KeyRing, port: UInt16, isPaused: Bool, through source: any ServiceDiscovery,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) {
        var facts = NodeAdvertisement(
            versions: Hello.versions, slots: node.slots, keyFingerprint: keys.announcement(at: .now),
            id: node.identity)
        facts.isPaused = isPaused
        let name = ServiceAdvertisement.instanceName(node.name, of: node.identity)
        let advertiser = NodeAdvertiser(source, ServiceAdvertisement(name: name, port: port, txt: facts.record))
        running = Task { await advertiser.run() }
        reporting = Task { for await event in advertiser.events { onEvent(event) } }
    }

    func withdraw() async {
        running.cancel()
        await running.value
        await reporting.value
    }
}
