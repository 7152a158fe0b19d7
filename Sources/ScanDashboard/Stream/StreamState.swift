/// Decides what each watcher of a stream gets next. Pure.
///
/// A watcher begins with a snapshot and goes on with what is published. One that falls behind by more than
/// ``backlogLimit`` bytes, in more than one message, loses its backlog and gets a fresh snapshot when it reads again: what is kept for it is bounded,
/// and nobody waits for it.
struct StreamState {
    typealias ID = Int

    /// The next thing to do for a watcher that can take bytes.
    enum Next: Equatable {
        case send(ArraySlice<UInt8>)
        /// Make a snapshot, and hand it to ``provide(_:to:)``.
        case makeSnapshot
        /// Nothing now: it will be named by what wakes it.
        case wait
        case end
    }

    fileprivate struct Watcher {
        enum Need {
            case snapshot
            /// It is being made; what is published meanwhile comes after it.
            case snapshotUnderWay
            case nothing
        }
        var need = Need.snapshot
        /// The message that is being sent, and how much of it is.
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

    /// Watchers now.
    var count: Int { watchers.count }

    /// Bytes that are kept for watchers; they share messages, so that less memory is taken.
    var backlogBytes: Int { watchers.values.reduce(0) { $0 + $1.backlogBytes + $1.current.count } }

    /// Somebody wants to watch; nil if there are too many.
    mutating func join() -> ID? {
        guard watchers.count < watcherLimit else { return nil }
        nextID += 1
        watchers[nextID] = Watcher()
        return nextID
    }

    /// A watcher has gone.
    mutating func leave(_ id: ID) { watchers[id] = nil }

    /// A message for everybody.
    /// - Returns: the watchers that wait.
    mutating func publish(_ message: [UInt8]) -> [ID] {
        for id in watchers.keys { watchers[id]?.append(message, limit: backlogLimit) }
        return wake()
    }

    /// A sign of life for those who have nothing else to read.
    mutating func beat(_ message: [UInt8]) -> [ID] {
        let idle = watchers.filter { $0.value.isWaiting }.keys
        for id in idle { watchers[id]?.append(message, limit: backlogLimit) }
        return wake()
    }

    /// There will be no more: each watcher gets what is kept for it, and then the end.
    mutating func end() -> [ID] {
        hasEnded = true
        return wake()
    }

    /// The snapshot that a watcher needs.
    mutating func provide(_ snapshot: [UInt8], to id: ID) {
        guard watchers[id]?.need == .snapshotUnderWay else { return }
        watchers[id]?.need = .nothing
        watchers[id]?.current = snapshot[...]
    }

    /// A watcher can take `limit` bytes.
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
        // A message alone is sent, however long it is: a snapshot would be no shorter.
        guard backlogBytes > limit, backlog.count > 1 else { return }
        // The message under way is finished, or the stream would make no sense.
        (backlog, backlogBytes) = ([], 0)
        need = .snapshot
    }
}
