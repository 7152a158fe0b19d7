import Console
import Foundation
import ScanCluster
import ScanDashboard
package import SkyReport

/// Serves the state of a job of many images as files, updates and metrics of its live page.
final class IndexDashboardSource: DashboardSource {
    private let pages: JobPages
    /// Whether a system can be reached.
    private let hasSystem: @Sendable () -> Bool
    /// The revision that the connected pages have; nil while none is connected.
    private let cursor = Locked<Int?>(nil)

    init(_ pages: JobPages, hasSystem: @escaping @Sendable () -> Bool) {
        (self.pages, self.hasSystem) = (pages, hasSystem)
    }

    func file(at path: String) -> DashboardFile? {
        switch path {
        case "/": DashboardFile(type: "text/html; charset=utf-8", bytes: IndexPage.live)
        case "/page.css": DashboardFile(type: "text/css; charset=utf-8", bytes: Assets.style)
        case "/page.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: Assets.liveIndexScript)
        case "/icon.svg": DashboardFile(type: "image/svg+xml", bytes: Assets.icon)
        case "/image.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: Assets.script)
        case "/running.js": DashboardFile(type: "text/javascript; charset=utf-8", bytes: Assets.runningScript)
        default: page(at: path)
        }
    }

    /// A part of the page of an image that is done or is being scanned.
    private func page(at path: String) -> DashboardFile? {
        let updates = "/updates/"
        if path.hasPrefix(updates) {
            return pages.update(of: String(path.dropFirst(updates.count)))
                .map { DashboardFile(type: "application/json", bytes: $0) }
        }
        let kinds: [(folder: String, part: PageStore.Part, type: String)] = [
            ("/images/", .page, "text/html; charset=utf-8"), ("/pictures/", .picture, "image/png"),
            ("/thumbnails/", .thumbnail, "image/png"),
        ]
        for kind in kinds where path.hasPrefix(kind.folder) {
            let bytes = pages.part(kind.part, of: String(path.dropFirst(kind.folder.count)))
            return bytes.map { DashboardFile(type: kind.type, bytes: $0) }
        }
        return nil
    }

    func problem() -> String? {
        pages.recorder.read().0.ending == nil && !hasSystem()
            ? "no system can be reached: the scan waits for a node" : nil
    }

    func metrics() -> PrometheusText {
        let (index, time) = pages.recorder.read()
        return PrometheusText(index, at: time)
    }

    func snapshot() -> [UInt8] {
        let (index, time) = pages.recorder.read()
        cursor.withLock { cursor in if cursor == nil { cursor = index.cursor } }
        return index.snapshot(of: pages.facts, at: time).json()
    }

    func changes() -> [UInt8]? {
        let (index, time) = pages.recorder.read()
        let update: IndexUpdate? = cursor.withLock { cursor in
            guard var reached = cursor else { return nil }
            defer { cursor = reached }
            return index.changes(since: &reached, at: time)
        }
        return update?.json()
    }

    func forget() { cursor.withLock { $0 = nil } }
}

extension PrometheusText {
    /// The measurements of a job of many images `time` seconds after its beginning.
    package init(_ index: ImageIndex, at time: Double) {
        self.init()
        add("skyfarm_build_info", .gauge, "The program.", [Sample([("version", Software.version)], 1)])
        add("skyfarm_scan_seconds", .gauge, "Seconds since the scan began.", time)
        add("skyfarm_scan_running", .gauge, "1 until the scan has ended.", index.ending == nil ? 1 : 0)
        add(
            "skyfarm_scan_images", .gauge, "Images by state.",
            IndexedImage.State.allCases.map { state in
                Sample([("state", state.rawValue)], Double(index.count(of: state)))
            })
    }
}
