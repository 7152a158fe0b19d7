public import ScanCluster
internal import ScanNetwork

/// A page that shows what a farm or a node does, such as `LivePage` of `SkyfarmKit`. It is given to one of them, which
/// opens and closes it. Its methods are called from any thread and must not block.
public protocol StatusPage: Sendable {
    /// Begins to show `node`, which serves at `address` unless that is nil.
    /// - Throws: an error that names the cause if the page cannot be served.
    func open(_ node: ScanNode, at address: SocketAddress?) throws

    /// Returns the observer of a run of tasks of this type, which is released when the run is over.
    func observer(ofTasksOf type: String) -> @Sendable (TaskEvent) -> Void

    /// The response to a task of this type came from a journal.
    func noteRecorded(type: String)

    /// A task of another process has run here.
    /// - Parameters:
    ///   - type: name of its type.
    ///   - failure: reason of its failure, or nil if it has an output.
    ///   - seconds: duration of the scan.
    func noteTask(type: String, failure: String?, seconds: Double)

    /// An event of the node.
    func note(_ event: ScanNode.Event)

    /// Shows the last state, and ends.
    func close() async
}

extension StatusPage {
    /// Returns a function that passes events of a node to the page and to `onEvent`.
    func observing(_ onEvent: @escaping @Sendable (ScanNode.Event) -> Void) -> @Sendable (ScanNode.Event) -> Void {
        { event in
            note(event)
            onEvent(event)
        }
    }

    /// Returns a function that passes events of a run to the page and to `observer`.
    func observing(
        _ type: String, _ observer: (@Sendable (TaskEvent) -> Void)?
    ) -> @Sendable (TaskEvent) -> Void {
        let own = self.observer(ofTasksOf: type)
        guard let observer else { return own }
        return { event in
            own(event)
            observer(event)
        }
    }
}

extension TaskTypes {
    /// Returns the same types, which report each task to `page`.
    func observed(by page: any StatusPage) -> TaskTypes {
        observed { type, outcome, seconds in
            switch outcome {
            case .output: page.noteTask(type: type, failure: nil, seconds: seconds)
            case .failure(let reason): page.noteTask(type: type, failure: reason, seconds: seconds)
            // The coordinator sends the bytes, and the task runs again.
            case .bulkElsewhere: break
            }
            return outcome
        }
    }
}
