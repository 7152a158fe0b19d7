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

    package private(set) var admission: AdmissionState
    package private(set) var cache: BulkCache
    private let readsReferences: Bool

    /// Resources of a node which, if `readsReferences`, reads the bulk bytes that tasks refer to.
    package init(admission: AdmissionState, cache: BulkCache, readsReferences: Bool) {
        self.admission = admission
        self.cache = cache
        self.readsReferences = readsReferences
    }

    /// A task arrived on `connection`: it is granted a place and its bulk bytes, or refused.
    package mutating func admit(_ task: TaskFrame, of connection: ConnectionID) -> Decision {
        var grant = TaskGrant()
        grant.bulk = task.bulk
        if let key = task.key {
            if grant.bulk == nil { grant.bulk = cache.find(key, of: connection) }
            if grant.bulk == nil, task.referred == nil {
                return .refuse(.bulkMissing, message: "does not keep the task's bulk bytes")
            }
            if !task.isLastUse { grant.key = key }
        }
        if grant.bulk == nil, let referred = task.referred {
            guard readsReferences else { return .refuse(.bulkElsewhere, message: "reads no bulk bytes by reference") }
            grant.referred = referred
        }
        grant.bulkBytes = task.bulkByteCount(referred: grant.referred)
        if case .refuse(let reason) = admission.admit(bulk: grant.bulkBytes) {
            return .refuse(reason, message: refusal(reason))
        }
        if let key = task.key {
            if task.isLastUse {
                grant.lentBytes = cache.lend(key, of: connection)
            } else if let sent = task.bulk, sent.unpackedCount == nil {
                grant.isBulkKept = cache.keep(sent, as: key, of: connection)
            }
        }
        return .run(grant)
    }

    private func refusal(_ reason: RefusalReason) -> String {
        if reason == .draining { return admission.isDraining ? "is draining" : "is paused" }
        return admission.isFull
            ? "has a full queue of \(admission.queueLimit) tasks"
            : "holds \(admission.bulkBytes) bulk bytes of tasks, and its limit is \(admission.bulkLimit)"
    }

    /// A task has ended, or was skipped, and its bulk bytes are freed.
    /// - Returns: true if the node is draining and this was its last task.
    package mutating func finish(_ grant: TaskGrant) -> Bool {
        cache.giveBack(grant.lentBytes)
        return admission.finish(bulk: grant.bulkBytes)
    }

    /// Keeps bytes that a task of `connection` read by reference or unpacked, while there is room.
    /// - Returns: whether they are kept.
    package mutating func keep(_ bytes: BulkBytes, as key: BulkKey, of connection: ConnectionID) -> Bool {
        cache.keep(bytes, as: key, of: connection)
    }

    /// A connection has ended: the bytes that were kept for it are freed.
    package mutating func drop(_ connection: ConnectionID) { cache.drop(connection) }

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
    /// The bulk bytes; nil if there are none, or if they are read first, see ``referred``. Packed ones are unpacked
    /// before the scan.
    package var bulk: BulkBytes?
    /// The bulk bytes that are read before the scan.
    package var referred: ReferredBulk?
    /// The key under which later tasks may need the bulk bytes; nil if none will.
    package var key: BulkKey?
    /// Bytes that count against ``AdmissionState/bulkLimit`` until the task ends.
    package var bulkBytes = 0
    /// Bytes that were kept for this task, the last to use them, and occupy the cache until it ends.
    package var lentBytes = 0
    /// Whether the node keeps the bulk bytes that came with the task.
    package var isBulkKept = false
}

extension TaskFrame {
    /// The memory that the task's bulk bytes take: those that were sent, or that are `referred` to, and what they unpack
    /// to.
    fileprivate func bulkByteCount(referred: ReferredBulk?) -> Int {
        if let bulk { return bulk.count + (bulk.unpackedCount ?? 0) }
        return referred.map { $0.byteCount + ($0.unpackedCount ?? 0) } ?? 0
    }
}
