import ScanCluster
import ScanNetwork
import ScanSecurity

/// Frequent heartbeats, and limits that a busy machine keeps.
let testTiming: ConnectionTiming = {
    var timing = ConnectionTiming()
    timing.heartbeat = .milliseconds(50)
    timing.handshake = .seconds(20)
    timing.silence = .seconds(20)
    return timing
}()

/// Limits short enough to wait for their end.
let shortTiming: ConnectionTiming = {
    var timing = testTiming
    timing.handshake = .milliseconds(100)
    timing.silence = .milliseconds(200)
    return timing
}()

/// The keys of the nodes and coordinators of these tests.
let testKeys = newKeys()

/// Keys that no other node or coordinator has.
func newKeys() -> KeyRing {
    do {
        return KeyRing(current: try .random())
    } catch {
        fatalError("\(error)")
    }
}

let allTypes = TaskTypes(
    SumTask.self, CountTask.self, OverwriteTask.self, GateTask.self, NapTask.self, ProbeTask.self,
    TaggedTask.self)

/// A node on any port of the loopback interface, with its events.
struct TestNode {
    let server: NodeServer
    let address: String
    let events: Locked<[NodeServer.Event]>

    init(
        slots: Int = 2, listen: String = "127.0.0.1:0", keys: KeyRing = testKeys, identity: SystemID? = nil,
        arithmetic: Arithmetic? = nil, _ configure: (inout NodeServer.Options) -> Void = { _ in }
    ) throws {
        var options = NodeServer.Options()
        options.timing = testTiming
        configure(&options)
        let events = Locked<[NodeServer.Event]>([])
        var taskTypes = allTypes
        taskTypes.arithmetic = arithmetic
        server = NodeServer(
            name: "node", keys: keys, identity: identity, slots: slots, taskTypes: taskTypes, listen: listen,
            options: options
        ) { event in events.withLock { $0.append(event) } }
        address = "\(try server.start())"
        self.events = events
    }

    /// Waits for an event and returns its line.
    func event(containing text: String) async -> String {
        var line: String?
        await eventually {
            line = events.withLock { $0.map { "\($0)" }.first { $0.contains(text) } }
            return line != nil
        }
        return line ?? ""
    }
}

/// Connects to addresses and returns the systems they led to, with their states.
func connect(
    _ addresses: String..., keys: KeyRing = testKeys, depth: Int? = nil, timing: ConnectionTiming = testTiming,
    frameLimit: Int? = nil, arithmetic: Arithmetic? = nil, allowsDifferentNodes: Bool = false
) async -> (systems: Systems, nodes: RemoteNodes, states: [NodeState]) {
    let systems = Systems(clock: EventLoop.shared)
    var options = RemoteNodes.Options()
    options.depth = depth
    options.timing = timing
    if let frameLimit { options.frameLimit = frameLimit }
    (options.arithmetic, options.allowsDifferentNodes) = (arithmetic, allowsDifferentNodes)
    let nodes = RemoteNodes(addresses, keys: keys, systems: systems, options: options)
    nodes.start()
    return (systems, nodes, await nodes.settled())
}

/// A connection to a node without a registry: what a system does, step by step.
func system(
    _ address: String, keys: KeyRing = testKeys, depth: Int = 4096, timing: ConnectionTiming = testTiming
) async throws -> ScanSystem {
    var options = RemoteNodes.Options()
    options.depth = depth
    options.timing = timing
    return try await RemoteNodes.connect(address, keys: keys, options: options)
}
