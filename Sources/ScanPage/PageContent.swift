import Foundation
import ScanBasics
import ScanCluster
import ScanDashboard
import ScanFarm
import ScanNetwork

/// The content of a live page. Each update has the whole state, but only the new lines of the log.
final class PageContent: DashboardSource {
    private struct State {
        var picture = TaskPicture()
        var process: PageUpdate.Process?
        var server: NodeServer?
        var systems: Systems?
        var coordinators: [NodeServer.Coordinator] = []
        var start = ContinuousClock.now
        /// Facts when the page ended, which are shown from then on.
        var last: NodeFacts?
        var hasEnded = false
        /// What was last sent, or nil while no page is connected.
        var sent: (state: PageUpdate.State, lines: Int, hasEnded: Bool)?

        var time: Double { ((.now - start) / .seconds(1) * 1000).rounded() / 1000 }

        var facts: NodeFacts {
            last ?? server.map { NodeFacts(node: $0, coordinators) } ?? NodeFacts(farm: systems?.snapshot ?? [])
        }

        var current: PageUpdate.State {
            PageUpdate.State(picture, facts.counting(picture), at: time, hasEnded: hasEnded)
        }

        mutating func update(since lines: Int, isSnapshot: Bool) -> PageUpdate {
            let from = max(picture.dropped, lines)
            let now = current
            sent = (now, picture.dropped + picture.log.count, hasEnded)
            return PageUpdate(
                process: isSnapshot ? process : nil, time: time, state: now,
                log: .init(from: from, items: Array(picture.log.dropFirst(from - picture.dropped))),
                end: hasEnded ? .init() : nil)
        }
    }

    private let state = Locked(State())

    /// Begins to show a node.
    /// - Returns: False if one was shown before.
    func open(_ node: ScanNode, at address: SocketAddress?) -> Bool {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "farm"
        let process = PageUpdate.Process(
            name: (node.server.map { "\(program) on \($0.name)" } ?? program).printable,
            role: node.server == nil ? "farm" : "node", address: address.map { "\($0)" },
            software: "Skyfarm \(Skyfarm.version)",
            began: Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        return state.withLock { state in
            if state.process != nil { return false }
            (state.process, state.server, state.systems, state.start) = (process, node.server, node.systems, .now)
            return true
        }
    }

    /// Changes the picture; `change` gets the time.
    func change(_ change: (inout TaskPicture, Double) -> Void) {
        state.withLock { change(&$0.picture, $0.time) }
    }

    /// Ends a run when it is released.
    private final class Run: Sendable {
        let number: Int
        private let content: PageContent

        init(_ number: Int, _ content: PageContent) { (self.number, self.content) = (number, content) }

        deinit { content.change { picture, _ in picture.end(number) } }

        func note(_ event: TaskEvent) { content.change { $0.note(event, of: number, at: $1) } }
    }

    /// Returns the observer of a run of tasks of this type.
    func observer(of type: String, _ items: PageItems? = nil) -> @Sendable (TaskEvent) -> Void {
        let run = Run(state.withLock { $0.picture.begin(type, items) }, self)
        return { run.note($0) }
    }

    /// Keeps the last state, and lets go of the node.
    func end() {
        state.withLock { state in
            if state.hasEnded { return }
            state.last = state.facts
            (state.hasEnded, state.server, state.systems) = (true, nil, nil)
        }
    }

    // MARK: DashboardSource

    func file(at path: String) -> DashboardFile? {
        switch path {
        case "/": DashboardFile(type: "text/html; charset=utf-8", bytes: PageFiles.page)
        case "/page.css": DashboardFile(type: "text/css; charset=utf-8", bytes: PageFiles.style)
        case "/page.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: PageFiles.script)
        case "/icon.svg": DashboardFile(type: "image/svg+xml", bytes: PageFiles.icon)
        default: nil
        }
    }

    func problem() -> String? { state.withLock { $0.hasEnded } ? "it has ended" : nil }

    func metrics() -> PrometheusText {
        var text = PrometheusText()
        let (picture, facts, time) = state.withLock { ($0.picture, $0.facts.counting($0.picture), $0.time) }
        text.add("skyfarm_build_info", .gauge, "The library.", [.init([("version", Skyfarm.version)], 1)])
        text.add("skyfarm_uptime_seconds", .gauge, "Seconds since the page was opened.", time)
        text.add(picture, facts)
        return text
    }

    func snapshot() -> [UInt8] {
        refresh()
        return json(state.withLock { $0.update(since: 0, isSnapshot: true) })
    }

    func changes() -> [UInt8]? {
        refresh()
        let update: PageUpdate? = state.withLock { state in
            guard let sent = state.sent else { return nil }
            let lines = state.picture.dropped + state.picture.log.count
            guard state.current != sent.state || lines != sent.lines || state.hasEnded != sent.hasEnded else {
                return nil
            }
            return state.update(since: sent.lines, isSnapshot: false)
        }
        return update.map(json)
    }

    func forget() { state.withLock { $0.sent = nil } }

    /// Asks for the coordinators of a node; a later update has them.
    private func refresh() {
        state.withLock(\.server)?.coordinators { [weak self] coordinators in
            self?.state.withLock { $0.coordinators = coordinators }
        }
    }

    private func json(_ update: PageUpdate) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Encoding numbers and strings cannot fail.
        return (try? encoder.encode(update)).map(Array.init) ?? []
    }
}
