import Foundation
import ScanCluster
import ScanDiscovery
import Testing

import ImageScanning

@Suite(.timeLimit(.minutes(10))) struct FleetDiscoveryTests {
    @Test("nodes that are added while the file is browsed are discovered, and those that are removed withdrawn")
    func changes() async throws {
        let scene = try Scene()
        let file = FleetFile(path: scene.path("state/hosts"))
        let address = SocketAddress(host: "10.0.0.7", port: 4870)
        let second = SocketAddress(host: "10.0.0.8", port: 4870)
        try file.update(with: [FleetNode(host: "a", address: address, name: "a-1")])
        let discovery = FleetDiscovery(file)
        var events = discovery.browse().makeAsyncIterator()
        #expect(try await events.next() == .started)
        let first = ServiceInstance(name: address.description, domain: "")
        #expect(try await events.next() == .added(first))
        try file.update(with: [FleetNode(host: "b", address: second, name: "b-1")])
        #expect(try await events.next() == .added(ServiceInstance(name: second.description, domain: "")))
        try file.update(without: ["a"])
        #expect(try await events.next() == .removed(first))
        var resolved = discovery.resolve(first).makeAsyncIterator()
        #expect(try await resolved.next() == ResolvedService(host: "10.0.0.7", port: 4870))
    }

    @Test("--only names the nodes that were started, not their addresses")
    func only() throws {
        let scene = try Scene()
        let nodes = [try Node("far"), try Node("near")]
        try FleetFile(path: scene.path("state/skyfarm/hosts")).update(
            with: try nodes.map {
                FleetNode(host: $0.name, address: try SocketAddress(parsing: $0.address), name: $0.name)
            })
        let image = try scene.sky()
        let result = try Program.run(
            ["scan", image, "-o", scene.path("out/o.csv"), "--local-slots", "0", "--only", "far", "--json"],
            environment: ["XDG_STATE_HOME": scene.path("state"), "SKYFARM_NO_DISCOVERY": "0"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try Report(result.output).systems.map(\.name) == ["far"])
    }
}
