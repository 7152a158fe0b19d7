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

    /// The page at `address`, whose link is written to the log.
    init(_ address: SocketAddress?, _ display: ProgressDisplay, _ common: CommonOptions) {
        page = address.map { address in
            LivePage(listen: address.description) { link in
                display.message(DashboardOption.level(common), "dashboard at \(link)")
            }
        }
    }

    /// Returns an observer that passes the events of a run on to the page and to the display.
    func observer<Work: ScanTask>(of type: Work.Type, _ events: MapEvents) -> @Sendable (TaskEvent) -> Void {
        guard let own = page?.observer(ofTasksOf: Work.typeName) else { return { events.handle($0) } }
        return { event in
            own(event)
            events.handle(event)
        }
    }
}
