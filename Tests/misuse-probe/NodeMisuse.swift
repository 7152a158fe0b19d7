import Foundation
import SkyfarmKit

extension MisuseProbe {
    /// A node that is made or used in a wrong way.
    static let nodes: [String: Misuse] = [
        "node without slots": { try await started(alpha(slots: 0)) },
        "node with negative slots": { try await started(alpha(slots: -4)) },
        "node with too many slots": { try await started(alpha(slots: .max)) },
        "node started twice": {
            let node = try alpha()
            try node.start()
            return try await started(node)
        },
        "node started after its end": {
            let node = try alpha()
            try node.start()
            await node.close()
            return try await started(node)
        },
        "node run twice": {
            let node = try alpha()
            try node.start()
            try await node.run()
            return "ran"
        },
        "node closed before its start": {
            let node = try alpha()
            await node.close()
            await node.drain()
            await node.close()
            return "closed"
        },
        "node paused and resumed before its start": {
            let node = try alpha()
            await node.resume()
            await node.pause("no reason")
            await node.resume()
            node.connectPeers()
            return try await started(node)
        },
        "node drained by signals that do not exist": {
            let node = try alpha()
            let running = Task { try await node.run(drainingOn: [-1, 0, SIGKILL, 999]) { _ in } }
            running.cancel()
            try await running.value
            return "drained"
        },
        "node with tags that are no words": {
            var options = NodeServer.Options()
            options.tags = ["", "two words", "line\nbreak", String(repeating: "x", count: 1000)]
            return try await started(alpha(options: options))
        },
        "server started twice": {
            let server = NodeServer(
                name: "beta", keys: try keys(), slots: 1, taskTypes: TaskTypes(Doubling.self), listen: "127.0.0.1:0")
            _ = try server.start()
            return "started at port \(try server.start().port)"
        },
        "server of a system elsewhere": {
            let clock = EventLoop.shared
            let system = ScanSystem(
                remote: Nowhere(), id: SystemID(high: 1, low: 2), name: "elsewhere", slots: 1, clock: clock)
            let server = NodeServer(
                system: system, keys: try keys(), taskTypes: TaskTypes(Doubling.self), listen: "127.0.0.1:0")
            return "started at port \(try server.start().port)"
        },
        "empty address": { try await started(alpha(listen: "")) },
        "port beyond 65535": { try await started(alpha(listen: "host:99999")) },
        "IPv6 address without brackets": { try await started(alpha(listen: "::1")) },
        "address with half of its brackets": { try await started(alpha(listen: "[::1:4870")) },
        "address with a scheme": { try await started(alpha(listen: "http://localhost:4870")) },
        "address of another machine": { try await started(alpha(listen: "192.0.2.1:0")) },
        "farm with an empty address": { try await farm([""]) },
        "farm with a port beyond 65535": { try await farm(["127.0.0.1:99999"]) },
        "farm with an address without brackets": { try await farm(["::1"]) },
        "farm with an unknown host": { try await farm(["no host:1"]) },
        "farm with port 0": { try await farm(["127.0.0.1:0"]) },
    ]

    private static func started(_ node: ScanNode) async throws -> String {
        let address = try node.start()
        await node.close()
        return "started at \(address?.host ?? "no address")"
    }

    private static func farm(_ addresses: [String]) async throws -> String {
        try await withFarm(running: Doubling.self, nodes: addresses, keys: keys(), localSlots: 0) { _ in "connected" }
    }
}

/// A way to nowhere.
final class Nowhere: ScanTransport {
    func start(_ request: consuming AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        AttemptHandle(rawValue: 0)
    }
    func cancel(_ handle: AttemptHandle) {}
    func close() {}
}
