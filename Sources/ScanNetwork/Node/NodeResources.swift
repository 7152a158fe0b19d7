package import ScanCluster

/// Identifies a connection to a node. A node runs a coordinator's tasks and keeps its bulk bytes only while the
/// connection lives.
package typealias ConnectionID = Int

/// The resources that all connections to a node share: slots, queue and memory. Decides whether a task is taken, and
/// what happens to its bulk bytes. Pure.
package struct NodeResources {
    /// The answer to a task.
    package enum Decision {
        case run(TaskGrant)
        case refuse(RefusalReason, message: String)
    }

    package private(set) var admission: Admission
    package private(set) var cache: Cache
    private let readsReferences: Bool

    /// Resources of a node which, if `readsReferences`, reads the bulk bytes that tasks refer to.
    package init(admission: Admission, cache: Cache, readsReferences: Bool) {
        self.admission = admission
        self.cache = cache
        self.readsReferences = readsReferences
    }

    /// A task arrived on `connection`, which has that weight: it is granted a place and its bulk bytes, or refused.
    package mutating func admit(_ task: TaskFrame, of connection: ConnectionID, weight: Double = 1) -> Decision {
        guard let part = task.part?.value else {
            if case .refuse(let reason) = admission.admit() { return .refuse(reason, message: refusal(reason)) }
            return .run(TaskGrant())
        }
        return admit(part, of: connection, weight)
    }

    private mutating func admit(_ part: BulkPart, of connection: ConnectionID, _ weight: Double) -> Decision {
        var grant = TaskGrant.Held(connection: connection, bulk: part.bulk)
        if let key = part.key {
            if grant.bulk == nil { grant.bulk = cache.find(key, of: connection) }
            if grant.bulk == nil, part.referred == nil {
                return .refuse(.bulkMissing, message: "does not keep the task's bulk bytes")
            }
            if !part.isLastUse { grant.key = key }
        }
        if grant.bulk == nil, let referred = part.referred {
            guard readsReferences else { return .refuse(.bulkElsewhere, message: "reads no bulk bytes by reference") }
            grant.referred = referred
        }
        grant.bulkBytes = part.byteCount(referred: grant.referred)
        if case .refuse(let reason) = admission.admit(bulk: grant.bulkBytes, of: connection, weight: weight) {
            return .refuse(reason, message: refusal(reason))
        }
        if let key = part.key {
            if part.isLastUse {
                grant.lentBytes = cache.lend(key, of: connection)
            } else if let sent = part.bulk, sent.unpackedCount == nil {
                grant.isBulkKept = cache.keep(sent, as: key, of: connection)
            }
        }
        return .run(TaskGrant(grant))
    }

    private func refusal(_ reason: RefusalReason) -> String {
        if reason == .draining { return admission.isDraining ? "is draining" : "is paused" }
        return admission.isFull
            ? "has a full queue of \(admission.queueLimit) tasks"
            : "holds \(admission.bulkBytes) bulk bytes of tasks, or keeps room for others, and its limit is"
                + " \(admission.bulkLimit)"
    }

    /// A task has ended, or was skipped, and its bulk bytes are freed.
    /// - Returns: true if the node is draining and this was its last task.
    package mutating func finish(_ grant: TaskGrant) -> Bool {
        cache.giveBack(grant.lentBytes)
        return admission.finish(bulk: grant.bulkBytes, of: grant.connection)
    }

    /// Keeps bytes that a task of `connection` read by reference or unpacked, while there is room.
    /// - Returns: whether they are kept.
    package mutating func keep(_ bytes: BulkBytes, as key: BulkKey, of connection: ConnectionID) -> Bool {
        cache.keep(bytes, as: key, of: connection)
    }

    /// A connection has ended: the bytes that were kept for it are freed.
    package mutating func drop(_ connection: ConnectionID) {
        cache.drop(connection)
        admission.drop(connection)
    }

    /// Refuses tasks, or takes them again.
    package mutating func pause(_ isPaused: Bool) { admission.isPaused = isPaused }

    /// Refuses tasks from now on.
    /// - Returns: true if no task is left.
    package mutating func drain() -> Bool { admission.drain() }

    /// Whether the invariants hold.
    package var isConsistent: Bool {
        admission.isConsistent && cache.isConsistent && (admission.inFlight > 0 || cache.lent == 0)
    }
}

/// The resources that a task holds once the node has taken it. ``NodeResources/finish(_:)`` releases them.
package struct TaskGrant: Sendable {
    /// What a task with bulk bytes holds.
    struct Held {
        /// Whose task it is.
        var connection: ConnectionID
        /// The bulk bytes; nil if there are none, or if they are read first, see ``referred``. Packed ones are unpacked
        /// before the scan.
        var bulk: BulkBytes?
        /// The bulk bytes that are read before the scan.
        var referred: ReferredBulk?
        /// The key under which later tasks may need the bulk bytes; nil if none will.
        var key: BulkKey?
        /// Bytes that count against ``Admission/bulkLimit`` until the task ends.
        var bulkBytes = 0
        /// Bytes that were kept for this task, the last to use them, and occupy the cache until it ends.
        var lentBytes = 0
        /// Whether the node keeps the bulk bytes that came with the task.
        var isBulkKept = false
    }

    private var held: Boxed<Held>?

    /// The grant of a task that holds a place only, or also `held`.
    init(_ held: Held? = nil) { self.held = held.map(Boxed.init) }

    /// See ``Held/connection``.
    fileprivate var connection: ConnectionID { held?.value.connection ?? 0 }
    /// See ``Held/bulk``.
    package var bulk: BulkBytes? { held?.value.bulk }
    /// See ``Held/referred``.
    package var referred: ReferredBulk? { held?.value.referred }
    /// See ``Held/key``.
    package var key: BulkKey? { held?.value.key }
    /// See ``Held/bulkBytes``.
    package var bulkBytes: Int { held?.value.bulkBytes ?? 0 }
    /// See ``Held/lentBytes``.
    package var lentBytes: Int { held?.value.lentBytes ?? 0 }
    /// See ``Held/isBulkKept``.
    package var isBulkKept: Bool { held?.value.isBulkKept ?? false }

    /// Releases the bulk bytes, and what was read to find them.
    mutating func releaseBulk() {
        guard var rest = held?.value else { return }
        (rest.bulk, rest.referred) = (nil, nil)
        held = Boxed(rest)
    }
}

extension BulkPart {
    /// The memory that the bulk bytes take: those that were sent, or that are `referred` to, and what they unpack
    /// to.
    fileprivate func byteCount(referred: ReferredBulk?) -> Int {
        if let bulk { return bulk.count + (bulk.unpackedCount ?? 0) }
        return referred.map { $0.byteCount + ($0.unpackedCount ?? 0) } ?? 0
    }
}
