import Foundation
import ScanCluster
package import ScanDashboard
package import SkyReport

/// Serves the state of a ``ScanRecorder`` as the files, updates and metrics of the live page.
package final class ScanDashboardSource: DashboardSource {
    private let recorder: ScanRecorder
    private let scan: LiveUpdate.Scan
    private let state = Locked(State())

    private struct State {
        /// The part that the connected pages have been sent; nil while none is connected.
        var cursor: LiveCursor?
        var preview: [UInt8] = []
        /// Makes the preview, and reports why there is none; nil once it was called.
        var offer: (make: @Sendable () async throws -> Preview, warn: @Sendable (String) -> Void)?
        var previewUnderWay: Task<Void, Never>?
    }

    package init(_ scan: LiveUpdate.Scan, _ recorder: ScanRecorder) {
        self.scan = scan
        self.recorder = recorder
    }

    /// Sets the closure that makes the preview. It is called once, when the first page is connected; `warn` gets the
    /// reason if it fails, and should record it for the page.
    package func offer(
        warn: @escaping @Sendable (String) -> Void, _ makePreview: @escaping @Sendable () async throws -> Preview
    ) {
        state.withLock { state in
            state.offer = (makePreview, warn)
            if state.cursor != nil { beginPreview(&state) }
        }
    }

    /// Waits for a preview that is being made; cancels it if the calling task is cancelled.
    func finishPreview() async {
        guard let preview = state.withLock({ $0.previewUnderWay }) else { return }
        await withTaskCancellationHandler {
            await preview.value
        } onCancel: {
            preview.cancel()
        }
    }

    private func beginPreview(_ state: inout State) {
        guard let (make, warn) = state.offer else { return }
        state.offer = nil
        state.previewUnderWay = Task { [weak self] in
            do {
                let preview = try await make()
                self?.show(preview, preview.png())
            } catch is CancellationError {
            } catch {
                warn("the live page has no picture: \(error)")
            }
        }
    }

    private func show(_ preview: Preview, _ picture: [UInt8]) {
        state.withLock { $0.preview = picture }
        recorder.update { live, _ in live.preview = preview.scale }
    }

    /// Whether a page is connected.
    var isWatched: Bool { state.withLock { $0.cursor != nil } }

    package func file(at path: String) -> DashboardFile? {
        switch path {
        case "/": DashboardFile(type: "text/html; charset=utf-8", bytes: ScanPage.live)
        case "/page.css": DashboardFile(type: "text/css; charset=utf-8", bytes: Assets.style)
        case "/page.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: Assets.liveScript)
        case "/icon.svg": DashboardFile(type: "image/svg+xml", bytes: Assets.icon)
        case "/preview.png":
            state.withLock { $0.preview.isEmpty ? nil : DashboardFile(type: "image/png", bytes: $0.preview) }
        default: nil
        }
    }

    package func problem() -> String? {
        let (live, time) = recorder.read()
        return live.problem(at: time)
    }

    package func metrics() -> PrometheusText {
        let (live, time) = recorder.read()
        return PrometheusText(live, at: time)
    }

    package func snapshot() -> [UInt8] { update().json() }

    /// The whole state. A page is connected from now on.
    package func update() -> LiveUpdate {
        let (live, time) = state.withLock { state in
            let (live, time) = recorder.read()
            if state.cursor == nil { state.cursor = live.cursor }
            beginPreview(&state)
            return (live, time)
        }
        return live.snapshot(of: scan, at: time)
    }

    package func changes() -> [UInt8]? {
        let update: LiveUpdate? = state.withLock { state in
            guard var cursor = state.cursor else { return nil }
            let (live, time) = recorder.read()
            defer { state.cursor = cursor }
            return live.changes(since: &cursor, at: time)
        }
        return update?.json()
    }

    package func forget() { state.withLock { $0.cursor = nil } }
}
