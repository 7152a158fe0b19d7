import ScanBasics
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork

extension NodeCommand {
    /// Time in which the names of other nodes are looked for, before the name of a host is used for the first time.
    private static let search = Duration.milliseconds(600)
    /// Time for which another node must have had the same name before this node gives way: the announcement of a node
    /// that was killed remains for a while.
    private static let patience = Duration.seconds(20)

    /// Returns the name of this node. The first start on a host looks for other nodes of the host's name.
    func findName() async -> NodeName {
        if let name = options.name { return NodeName(given: name) }
        let folder = UserFolder.state.path(options.environment).map { $0 + "/names" }
        let name = await NodeName.find(
            hostName: hostName(), address: options.listen?.description, folder: folder
        ) {
            guard options.advertises else { return [] }
            return await AnnouncedNames.names(from: DNSServiceDiscovery(), within: Self.search)
        }
        if let note = name.note { say(.warning, "\(note)") }
        return name
    }

    /// Keeps another name for the next start if a node on the network has the name of this node for a while. Of several
    /// nodes of a name the one of the least identity keeps it. Ends with the stream `sightings` of such nodes.
    func watch(_ name: NodeName, of node: ScanNode, sightings: AsyncStream<Void>) async {
        for await _ in sightings {
            try? await Task.sleep(for: Self.patience)
            if Task.isCancelled { return }
            let others = node.membership.peers.filter { $0.unusableReason?.cause != .key }.map(\.node)
            guard name.isPreceded(node.identity, by: others.map { ($0.name, $0.advertisement.id) }),
                let next = name.giveWay(to: Set(others.map(\.name)))
            else { continue }
            return say(
                .warning,
                "another node is called \(name: name.text), too: from its next start this node is called \(name: next)")
        }
    }
}
