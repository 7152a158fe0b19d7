import Console
import Foundation
import ScanCluster
import ScanDashboard
package import ScanNetwork
import SkyReport

/// The live page of a node. Each update contains the whole state, but only the new lines of the log.
///
/// The state comes from the node's server, from ``LiveNode``, which has the log, and from ``ClusterWatch``, which polls
/// the other nodes. The dashboard server asks for a ``snapshot()`` when a page connects and for ``changes()``
/// afterwards, which are nil if nothing differs from the state that was sent last. ``metrics()`` returns the state for
/// Prometheus.
final class NodeDashboardSource: DashboardSource {
    private let node: NodeServer
    private let live: LiveNode
    private let address: SocketAddress
    private let cluster: ClusterWatch
    private let state = Locked(State())

    private struct State {
        var coordinators: [NodeServer.Coordinator] = []
        /// State that was last sent, or nil while no page is connected.
        var sent: Sent?
    }

    private struct Sent: Equatable {
        var status: NodeServer.Status
        var coordinators: [NodeServer.Coordinator]
        var lines: Int
        var now: String
        var hasEnded: Bool
        /// Version of the ``ClusterPicture``.
        var cluster: Int
    }

    init(_ node: NodeServer, _ live: LiveNode, _ address: SocketAddress, _ cluster: ClusterWatch) {
        (self.node, self.live, self.address, self.cluster) = (node, live, address, cluster)
    }

    func file(at path: String) -> DashboardFile? {
        switch path {
        case "/": DashboardFile(type: "text/html; charset=utf-8", bytes: NodePage.live)
        case "/page.css": DashboardFile(type: "text/css; charset=utf-8", bytes: Assets.style)
        case "/page.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: Assets.nodeScript)
        case "/icon.svg": DashboardFile(type: "image/svg+xml", bytes: Assets.icon)
        default: nil
        }
    }

    func problem() -> String? { live.read().problem(at: live.elapsed) }

    func metrics() -> PrometheusText {
        var text = PrometheusText()
        let status = node.status
        text.add("skyfarm_build_info", .gauge, "The program.", [.init([("version", Software.version)], 1)])
        text.add("skyfarm_node_uptime_seconds", .gauge, "Seconds since the node began.", live.elapsed)
        text.add("skyfarm_node_slots", .gauge, "Tasks that run at the same time.", Double(live.slots))
        text.add("skyfarm_node_coordinators", .gauge, "Coordinators that are connected.", Double(status.connections))
        text.add("skyfarm_node_tasks_running", .gauge, "Tasks that run.", Double(status.running))
        text.add("skyfarm_node_tasks_queued", .gauge, "Tasks that wait for a slot.", Double(status.queued))
        text.add("skyfarm_node_tasks_total", .counter, "Tasks done.", Double(status.done))
        text.add("skyfarm_node_kept_bytes", .gauge, "Bytes of pixels cached for later tasks.", Double(status.bulkBytes))
        text.add(cluster.now)
        return text
    }

    func snapshot() -> [UInt8] {
        refresh()
        let record = live.read()
        let sent = state.withLock { state in
            let now = current(record, state.coordinators)
            if state.sent == nil { state.sent = now }
            return now
        }
        return update(sent, record, since: 0, isSnapshot: true)
    }

    func changes() -> [UInt8]? {
        refresh()
        let record = live.read()
        let news: (Sent, Int)? = state.withLock { state in
            guard let sent = state.sent else { return nil }
            let now = current(record, state.coordinators)
            guard now != sent else { return nil }
            state.sent = now
            return (now, sent.lines)
        }
        return news.map { update($0.0, record, since: $0.1, isSnapshot: false) }
    }

    func forget() { state.withLock { $0.sent = nil } }

    /// Requests the list of coordinators from the event loop; the next update contains it.
    private func refresh() {
        node.coordinators { [state] coordinators in state.withLock { $0.coordinators = coordinators } }
    }

    private func current(_ record: LiveNode.State, _ coordinators: [NodeServer.Coordinator]) -> Sent {
        // A node that has ended runs nothing, even if its last status says otherwise.
        let status = record.hasEnded ? NodeServer.Status(done: node.status.done) : node.status
        let now = record.now(status, at: live.elapsed)
        return Sent(
            status: status, coordinators: record.hasEnded ? [] : coordinators,
            lines: record.dropped + record.log.count, now: now,
            hasEnded: record.hasEnded, cluster: cluster.now.version)
    }

    private func update(_ sent: Sent, _ record: LiveNode.State, since lines: Int, isSnapshot: Bool) -> [UInt8] {
        let from = max(record.dropped, lines)
        let update = NodeUpdate(
            node: isSnapshot
                ? .init(
                    name: live.name, address: address.description, slots: live.slots, software: Software.name,
                    began: live.began)
                : nil,
            time: live.elapsed, now: sent.now, running: sent.status.running, queued: sent.status.queued,
            done: sent.status.done, keptBytes: sent.status.bulkBytes,
            coordinators: sent.coordinators.map(NodeUpdate.Coordinator.init),
            cluster: ClusterUpdate(cluster.now),
            log: .init(from: from, items: Array(record.log.dropFirst(from - record.dropped))),
            end: sent.hasEnded ? .init() : nil)
        // Encoding numbers and strings cannot fail.
        return (try? JSONOutput.line(update)).map { Array($0.utf8.dropLast()) } ?? []
    }
}

extension LiveNode.State {
    /// Returns the current activity of the node in words.
    package func now(_ status: NodeServer.Status, at time: Double) -> String {
        if hasEnded { return "ended after \(HumanFormat.count(status.done, "task"))" }
        if isDraining { return "draining: \(HumanFormat.count(status.running + status.queued, "task")) to finish" }
        if let trouble = problem(at: time) ?? pause.map({ "paused: \($0)" }) { return trouble }
        if status.connections == 0 { return "waiting for a coordinator" }
        if status.running == 0 { return "waiting for a task" }
        return "running \(HumanFormat.count(status.running, "task")), \(status.queued) waiting"
    }
}

/// State of a node for its page, as JSON; `v` is the version of the format.
private struct NodeUpdate: Encodable {
    var v = 1
    /// Present only in a snapshot.
    var node: Node?
    /// Seconds since the node began.
    var time: Double
    var now: String
    var running: Int
    var queued: Int
    var done: Int
    var keptBytes: Int
    var coordinators: [Coordinator]
    var cluster: ClusterUpdate
    var log: Log
    var end: End?

    package struct Node: Encodable {
        var name: String
        var address: String
        var slots: Int
        var software: String
        /// Time of the beginning, in ISO 8601.
        var began: String
    }

    struct Coordinator: Encodable {
        var name: String
        var address: String
        var inFlight: Int
        var done: Int
        var cancelled: Int
        var jobs: Int

        init(_ coordinator: NodeServer.Coordinator) {
            (name, address, inFlight) = (coordinator.name, coordinator.address, coordinator.inFlight)
            (done, cancelled, jobs) = (coordinator.done, coordinator.cancelled, coordinator.jobs)
        }
    }

    package struct Log: Encodable {
        package var from: Int
        var items: [LiveNode.Line]
    }

    struct End: Encodable { var ending = "ended" }
}
