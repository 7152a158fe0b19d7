import Foundation
import ScanCluster
import ScanDashboard
import SkyReport

/// The live page of a scan: what the recorder knows, as files, updates and numbers.
final class ScanDashboardSource: DashboardSource {
    private let recorder: ScanRecorder
    private let scan: LiveUpdate.Scan
    private let state = Locked(State())

    private struct State {
        /// How much those who watch were told; nil while nobody does.
        var cursor: LiveCursor?
        var preview: [UInt8] = []
        /// Makes the preview; nil once that has begun.
        var makePreview: (@Sendable () async throws -> Preview)?
        var previewUnderWay: Task<Void, Never>?
    }

    init(_ scan: LiveUpdate.Scan, _ recorder: ScanRecorder) {
        self.scan = scan
        self.recorder = recorder
    }

    /// How the picture of the image can be made: it is, as soon as somebody watches, and costs nothing before.
    func offer(_ makePreview: @escaping @Sendable () async throws -> Preview) {
        state.withLock { state in
            state.makePreview = makePreview
            if state.cursor != nil { beginPreview(&state) }
        }
    }

    /// Waits for the picture, if it is being made, unless the calling task is cancelled.
    func finishPreview() async {
        guard let preview = state.withLock({ $0.previewUnderWay }) else { return }
        await withTaskCancellationHandler {
            await preview.value
        } onCancel: {
            preview.cancel()
        }
    }

    private func beginPreview(_ state: inout State) {
        guard let make = state.makePreview else { return }
        state.makePreview = nil
        state.previewUnderWay = Task { [weak self] in
            if let preview = try? await make() { self?.show(preview) }
        }
    }

    private func show(_ preview: Preview) {
        // Without a picture the page still shows sectors and sources.
        guard let picture = try? preview.png() else { return }
        state.withLock { $0.preview = picture }
        recorder.update { live, _ in live.hasPreview = true }
    }

    /// Whether somebody watches.
    var isWatched: Bool { state.withLock { $0.cursor != nil } }

    func file(at path: String) -> DashboardFile? {
        switch path {
        case "/": DashboardFile(type: "text/html; charset=utf-8", bytes: Assets.livePage)
        case "/page.css": DashboardFile(type: "text/css; charset=utf-8", bytes: Assets.liveStyle)
        case "/page.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: Assets.liveScript)
        case "/icon.svg": DashboardFile(type: "image/svg+xml", bytes: Assets.icon)
        case "/preview.png":
            state.withLock { $0.preview.isEmpty ? nil : DashboardFile(type: "image/png", bytes: $0.preview) }
        default: nil
        }
    }

    func obstacle() -> String? {
        let (live, time) = recorder.read()
        return live.obstacle(at: time)
    }

    func metrics() -> PrometheusText {
        let (live, time) = recorder.read()
        return PrometheusText(live, at: time)
    }

    func snapshot() -> [UInt8] {
        let (live, time) = state.withLock { state in
            let (live, time) = recorder.read()
            if state.cursor == nil { state.cursor = live.cursor }
            beginPreview(&state)
            return (live, time)
        }
        return live.snapshot(of: scan, at: time).json()
    }

    func changes() -> [UInt8]? {
        let update: LiveUpdate? = state.withLock { state in
            guard var cursor = state.cursor else { return nil }
            let (live, time) = recorder.read()
            defer { state.cursor = cursor }
            return live.changes(since: &cursor, at: time)
        }
        return update?.json()
    }

    func forget() { state.withLock { $0.cursor = nil } }
}
