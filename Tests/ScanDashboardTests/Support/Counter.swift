import ScanCluster
import ScanDashboard

/// A dashboard of a number: a page would show the last one it received.
final class Counter: DashboardSource {
    private struct State {
        var value = 0
        var told: Int?
        var problem: String?
        var snapshots = 0
    }
    private let state = Locked(State())
    /// Text that makes each message long.
    let padding: String

    init(padding: Int = 0) { self.padding = String(repeating: "x", count: padding) }

    func count() { state.withLock { $0.value += 1 } }
    func obstruct(_ reason: String?) { state.withLock { $0.problem = reason } }
    var snapshots: Int { state.withLock { $0.snapshots } }
    var isForgotten: Bool { state.withLock { $0.told == nil } }

    func file(at path: String) -> DashboardFile? {
        path == "/" ? DashboardFile(type: "text/html; charset=utf-8", bytes: Array("<p>page</p>".utf8)) : nil
    }

    func problem() -> String? { state.withLock { $0.problem } }

    func metrics() -> PrometheusText {
        var text = PrometheusText()
        text.add("skyfarm_count_total", .counter, "The number.", Double(state.withLock { $0.value }))
        return text
    }

    func snapshot() -> [UInt8] {
        let value = state.withLock { state in
            state.told = state.told ?? state.value
            state.snapshots += 1
            return state.value
        }
        return Array("{\"all\":\(value),\"padding\":\"\(padding)\"}".utf8)
    }

    func changes() -> [UInt8]? {
        let value: Int? = state.withLock { state in
            guard let told = state.told, told != state.value else { return nil }
            state.told = state.value
            return state.value
        }
        return value.map { Array("{\"now\":\($0),\"padding\":\"\(padding)\"}".utf8) }
    }

    func forget() { state.withLock { $0.told = nil } }
}
