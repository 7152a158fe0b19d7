/// Decides which bytes each watcher of a stream gets next.
///
/// A watcher gets a snapshot, and then the published messages. If more than one message and more than ``backlogLimit``
/// bytes are queued for it, they are dropped, and it gets a new snapshot when it reads again. So memory is bounded, and
/// a slow watcher delays no other.
struct StreamState {
    typealias ID = Int

    /// The next step for a watcher that can take bytes.
    enum Next: Equatable {
        case send(ArraySlice<UInt8>)
        /// Make a snapshot and pass it to ``provide(_:to:)``.
        case makeSnapshot
        /// Suspend the watcher until another call returns its ID.
        case wait
        case end
    }

    fileprivate struct Watcher {
        enum Need {
            /// A snapshot is needed; messages published before it are dropped. Becomes `snapshotUnderWay` at the next
            /// read.
            case snapshot
            /// A snapshot is being made; messages are queued behind it. Becomes `nothing` when it is provided.
            case snapshotUnderWay
            /// The watcher reads messages. Becomes `snapshot` if it falls behind.
            case nothing
        }
        var need = Need.snapshot
        /// Rest of the message that is being sent.
        var current: ArraySlice<UInt8> = []
        var backlog: [[UInt8]] = []
        var backlogBytes = 0
        var isWaiting = false
    }

    let watcherLimit: Int
    let backlogLimit: Int
    private var watchers: [ID: Watcher] = [:]
    private var nextID = 0
    private(set) var hasEnded = false

    init(watcherLimit: Int, backlogLimit: Int) {
        self.watcherLimit = watcherLimit
        self.backlogLimit = backlogLimit
    }

    var count: Int { watchers.count }

    /// Total size of the messages queued for watchers, in bytes. Watchers share messages, so less memory is used.
    var backlogBytes: Int { watchers.values.reduce(0) { $0 + $1.backlogBytes + $1.current.count } }

    /// Adds a watcher. Returns nil if there are too many.
    mutating func join() -> ID? {
        guard watchers.count < watcherLimit else { return nil }
        nextID += 1
        watchers[nextID] = Watcher()
        return nextID
    }

    mutating func leave(_ id: ID) { watchers[id] = nil }

    /// Queues a message for all watchers.
    /// - Returns: the watchers to resume.
    mutating func publish(_ message: [UInt8]) -> [ID] {
        for id in watchers.keys { watchers[id]?.append(message, limit: backlogLimit) }
        return wake()
    }

    /// Queues a heartbeat for the suspended watchers, which shows whether they still read. Returns the watchers to
    /// resume.
    mutating func beat(_ message: [UInt8]) -> [ID] {
        let idle = watchers.filter { $0.value.isWaiting }.keys
        for id in idle { watchers[id]?.append(message, limit: backlogLimit) }
        return wake()
    }

    /// Ends the stream: each watcher gets the rest of its queue and then the end. Returns the watchers to resume.
    mutating func end() -> [ID] {
        hasEnded = true
        return wake()
    }

    /// Stores the snapshot that a watcher needs.
    mutating func provide(_ snapshot: [UInt8], to id: ID) {
        guard watchers[id]?.need == .snapshotUnderWay else { return }
        watchers[id]?.need = .nothing
        watchers[id]?.current = snapshot[...]
    }

    /// Returns the next step for a watcher that can take `limit` bytes.
    mutating func next(for id: ID, limit: Int) -> Next {
        guard var watcher = watchers[id] else { return .end }
        defer { watchers[id] = watcher }
        if watcher.current.isEmpty {
            if watcher.need == .snapshot {
                watcher.need = .snapshotUnderWay
                return .makeSnapshot
            }
            if watcher.backlog.isEmpty {
                if hasEnded { return .end }
                watcher.isWaiting = true
                return .wait
            }
            watcher.current = watcher.backlog.removeFirst()[...]
            watcher.backlogBytes -= watcher.current.count
        }
        defer { watcher.current = watcher.current.dropFirst(limit) }
        return .send(watcher.current.prefix(limit))
    }

    private mutating func wake() -> [ID] {
        let waiting = watchers.filter { $0.value.isWaiting }.keys
        for id in waiting { watchers[id]?.isWaiting = false }
        return Array(waiting)
    }
}

extension StreamState.Watcher {
    fileprivate mutating func append(_ message: [UInt8], limit: Int) {
        if need == .snapshot { return }
        backlog.append(message)
        backlogBytes += message.count
        // A single message is kept, whatever its length: a snapshot would not be shorter.
        guard backlogBytes > limit, backlog.count > 1 else { return }
        // The current message is still sent to its end; otherwise the stream would be malformed.
        (backlog, backlogBytes) = ([], 0)
        need = .snapshot
    }
}
