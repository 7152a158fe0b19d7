import CommandLineKit
import Console
import ProgramTask
import ScanCluster
import ScanNetwork
import ScanPage

/// The live page of a run, with its items; nothing unless `--dashboard` asks for one.
struct RunPage: Sendable {
    /// The page, which the run's node opens and closes.
    let page: LivePage?
    private let type: String

    /// The page at `address` of tasks of this type, whose link is written to the log.
    init(_ address: SocketAddress?, of type: String, _ display: ProgressDisplay, _ common: CommonOptions) {
        self.type = type
        page = address.map { address in
            LivePage(listen: address.description) { link in
                display.message(DashboardOption.level(common), "dashboard at \(link)")
            }
        }
    }

    /// Returns an observer that passes the events of a run on to the page, with the items of its tasks, and to the display.
    func observer(_ events: MapEvents, of items: PageItems) -> @Sendable (TaskEvent) -> Void {
        guard let own = page?.observer(ofTasksOf: type, with: items) else { return { events.handle($0) } }
        return { event in
            own(event)
            events.handle(event)
        }
    }

    /// Further items are to be done.
    func plan(_ items: Int) { page?.plan(items, of: type) }

    /// Shows how an attempt at an item ended.
    func note(_ item: String, on system: String?, _ end: PageItems.End) {
        page?.noteItem(item, of: type, on: system, end)
    }
}
