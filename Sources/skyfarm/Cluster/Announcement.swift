import Foundation
import ScanCluster
import ScanDiscovery
import ScanNetwork
import ScanSecurity

/// A node's announcement on the local network, from its creation until it takes leave.
struct Announcement: Sendable {
    private let running: Task<Void, Never>
    private let reporting: Task<Void, Never>

    /// Announces the node, and says in one line when that succeeds or fails; the node serves in either case.
    init(
        of node: NodeServer, name: String, keys: KeyRing, slots: Int, at address: SocketAddress,
        _ say: @escaping @Sendable (String) -> Void
    ) {
        let facts = NodeAdvertisement(
            versions: Hello.versions, slots: slots, keyFingerprint: keys.announcement(at: .now), id: node.identity)
        let advertiser = NodeAdvertiser(
            DNSServiceDiscovery(),
            ServiceAdvertisement(
                name: ServiceAdvertisement.instanceName(name, of: node.identity), port: address.port,
                txt: facts.record))
        running = Task { await advertiser.run() }
        reporting = Task {
            for await event in advertiser.events {
                switch event {
                case .advertised(let name): say("announced as \(name)")
                case .unavailable(let error): say("not announced: \(error); use --node \(address) meanwhile")
                }
            }
        }
    }

    /// Takes the announcement back.
    func takeLeave() async {
        running.cancel()
        await running.value
        await reporting.value
    }
}
