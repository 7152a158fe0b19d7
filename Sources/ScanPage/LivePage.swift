import Foundation
import ScanBasics
public import ScanCluster
import ScanDashboard
public import ScanFarm
import ScanNetwork

/// A live page of a farm or a node: its systems, its tasks by type, their rate and their failures, with metrics for
/// Prometheus at `/metrics`.
///
/// ```swift
/// let page = LivePage { link in print("page at", link) }
/// try await withFarm(running: PrimeCount.self, page: page) { farm in … }
/// ```
///
/// The link contains a random token, without which nothing but `/healthz` is answered. Only this machine reaches the
/// page, unless another address is given; it is not encrypted. The page needs libmicrohttpd when it is opened.
public final class LivePage: StatusPage {
    private let address: String
    private let onOpen: @Sendable (String) -> Void
    private let content: PageContent
    private let server = Locked<DashboardServer?>(nil)

    /// Creates a page, which its farm or node opens.
    /// - Parameters:
    ///   - listen: `ADDR:PORT`; port 0 selects any free port.
    ///   - onOpen: called with the link when the page is opened.
    public init(listen: String = "127.0.0.1:0", onOpen: @escaping @Sendable (String) -> Void = { _ in }) {
        (address, self.onOpen, content) = (listen, onOpen, PageContent())
    }

    /// The link to the page with its token, or nil while it is not open.
    public var link: String? { server.withLock { $0?.link } }

    /// Begins to serve the page; called by the farm or node.
    /// - Throws: ``AddressError`` or ``SocketError`` if the address is invalid or cannot be listened on, and
    ///   ``PageInUse`` if the page was opened before.
    public func open(_ node: ScanNode, at address: SocketAddress?) throws {
        guard content.open(node, at: address) else { throw PageInUse() }
        let name = ProcessInfo.processInfo.hostName
        let opened = try DashboardServer(
            listen: try SocketAddress(parsing: self.address), source: content, names: [name], outside: name)
        server.withLock { $0 = opened }
        onOpen(opened.link)
    }

    /// Returns the observer of a run; called by the farm.
    public func observer(ofTasksOf type: String) -> @Sendable (TaskEvent) -> Void { content.observer(of: type) }

    /// Counts a response from a journal; called by the farm.
    public func noteRecorded(type: String) { content.change { picture, _ in picture.noteRecorded(type) } }

    /// Counts a task of another process; called by the node.
    public func noteTask(type: String, failure: String?, seconds: Double) {
        content.change { $0.noteTask(type, failure: failure, seconds: seconds, at: $1) }
    }

    /// Returns the observer of a run whose tasks have items. Only what is noted of the items is counted.
    package func observer(ofTasksOf type: String, with items: PageItems) -> @Sendable (TaskEvent) -> Void {
        content.observer(of: type, items)
    }

    /// So many further items are to be done by tasks of this type.
    package func plan(_ items: Int, of type: String) { content.change { picture, _ in picture.plan(items, of: type) } }

    /// Shows how an attempt at an item ended.
    package func noteItem(_ name: String, of type: String, on system: String?, _ end: PageItems.End) {
        content.change { $0.noteItem(name, of: type, on: system, end, at: $1) }
    }

    /// Shows an event of the node; called by the node.
    public func note(_ event: ScanNode.Event) {
        guard case .server(let event) = event else { return }
        // Failures are shown with their tasks.
        if case .failed = event { return }
        content.change { $0.note("note", "\(event)", at: $1) }
    }

    /// Shows the last state, and ends the page; called by the farm or node.
    public func close() async {
        content.end()
        await server.withLock { $0.take() }?.close(within: 2)
    }
}

/// A page was given to a second farm or node.
public struct PageInUse: Error, Equatable, CustomStringConvertible {
    /// The cause and the remedy, in one line.
    public let description = "the live page was opened before: give each farm and each node a page of its own"

    /// The error.
    public init() {}
}
