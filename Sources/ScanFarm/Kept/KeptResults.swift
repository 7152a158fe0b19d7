import ScanBasics
import ScanCluster
import ScanNetwork

/// The results that this process keeps for coordinators, see ``Keeping``.
public enum KeptResults {
    /// Bounds the results that this process keeps: those that were used last stay, and are forgotten some time after their
    /// last use. What exceeds a new limit goes at once.
    /// - Parameters:
    ///   - bytes: most bytes of all of them; by default a quarter of `ScanSystem.defaultMemory`.
    ///   - lifetime: time after the last use; an hour by default.
    public static func limit(bytes: Int, lifetime: Duration = .seconds(3600)) {
        KeptStore.ofThisProcess.limit(bytes: max(0, bytes), lifetime: max(.zero, lifetime))
    }
}

/// Names a result that a process keeps.
struct KeptHandle: Codable, Hashable, Sendable {
    /// The process, by a number that it has chosen at random.
    var process: UInt64
    /// The result, likewise.
    var number: UInt64

    /// Names the bytes for tasks that need them.
    var key: BulkKey { BulkKey(job: process, index: number) }

    /// The reference by which the process that keeps the result reads it.
    var reference: BulkReference {
        BulkReference(origin: Self.bytes(of: process), part: Self.bytes(of: number), identifiesBytes: true)
    }

    /// The handle of a reference; nil if that is not one of results.
    init?(_ reference: BulkReference) {
        guard let process = Self.number(in: reference.origin), let number = Self.number(in: reference.part) else {
            return nil
        }
        (self.process, self.number) = (process, number)
    }

    init(process: UInt64, number: UInt64) { (self.process, self.number) = (process, number) }

    private static let prefix = Array("kept ".utf8)

    private static func bytes(of number: UInt64) -> [UInt8] {
        prefix + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    private static func number(in bytes: [UInt8]) -> UInt64? {
        guard bytes.count == prefix.count + 8, bytes.starts(with: prefix) else { return nil }
        return bytes.dropFirst(prefix.count).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The results that a process keeps, in memory.
final class KeptStore: Sendable {
    static let ofThisProcess = KeptStore(clock: EventLoop.shared)
    /// The stores of simulated processes.
    private static let simulated = Locked<[SystemID: KeptStore]>([:])

    /// The store of the process which runs the calling task.
    static var current: KeptStore {
        guard let process = SimulatedIdentity.current else { return ofThisProcess }
        return simulated.withLock { stores in
            if let store = stores[process] { return store }
            let store = KeptStore(clock: nil)
            stores[process] = store
            return store
        }
    }

    private struct State {
        var ledger = KeptLedger(limit: ScanSystem.defaultMemory / 4, lifetime: .seconds(3600))
        var results: [UInt64: BulkBytes] = [:]
        /// When those are removed whose time is over; nil if that was not arranged.
        var sweep: Instant?
    }
    private let process = UInt64.random(in: .min ... .max)
    private let state = Locked(State())
    /// Nil in a simulation, where nothing expires.
    private let clock: (any ScanClock)?

    /// An empty store; without a clock nothing expires.
    init(clock: (any ScanClock)?) { self.clock = clock }

    private var now: Instant { clock?.now ?? Instant(nanoseconds: 0) }

    /// Bytes of memory that the results take.
    var byteCount: Int { state.withLock { $0.results.values.reduce(0) { $0 + $1.count } } }

    func limit(bytes: Int, lifetime: Duration) {
        let now = now
        state.withLock { state in
            (state.ledger.limit, state.ledger.lifetime) = (bytes, lifetime)
            for number in state.ledger.expire(at: now) + state.ledger.makeRoom(at: now) {
                state.results[number] = nil
            }
            // The next end is at another time.
            state.sweep = nil
        }
        arrangeSweep()
    }

    /// Keeps a result.
    /// - Throws: ``TooLarge``.
    func keep(_ bytes: BulkBytes) throws -> KeptHandle {
        let (number, now) = (UInt64.random(in: .min ... .max), now)
        try state.withLock { state in
            guard let gone = state.ledger.add(number, count: bytes.count, at: now) else {
                throw TooLarge(count: bytes.count, limit: state.ledger.limit)
            }
            for other in gone { state.results[other] = nil }
            state.results[number] = bytes
        }
        arrangeSweep()
        return KeptHandle(process: process, number: number)
    }

    /// A result; nil if it is not kept here any more.
    func find(_ handle: KeptHandle) -> BulkBytes? {
        let now = now
        guard handle.process == process else { return nil }
        return state.withLock { $0.ledger.use(handle.number, at: now) ? $0.results[handle.number] : nil }
    }

    func remove(_ handle: KeptHandle) {
        guard handle.process == process else { return }
        state.withLock { state in
            state.ledger.remove(handle.number)
            state.results[handle.number] = nil
        }
    }

    private func arrangeSweep() {
        guard let clock else { return }
        let due = state.withLock { state -> Instant? in
            guard state.sweep == nil, let end = state.ledger.nextEnd else { return nil }
            state.sweep = end
            return end
        }
        guard let due else { return }
        _ = clock.schedule(at: due) { [self] in
            let now = clock.now
            state.withLock { state in
                // The next sweep may have been arranged anew.
                if state.sweep == due { state.sweep = nil }
                for number in state.ledger.expire(at: now) { state.results[number] = nil }
            }
            arrangeSweep()
        }
    }

    /// A result is larger than what may be kept.
    struct TooLarge: Error, CustomStringConvertible {
        var count: Int
        var limit: Int
        var description: String {
            "the result has \(count) bytes, and this process keeps at most \(limit): see"
                + " KeptResults.limit(bytes:lifetime:)"
        }
    }
}

/// Reads the results that this process keeps for tasks that refer to them, and other references by another resolver.
struct KeptResolver: BulkResolver {
    let next: (any BulkResolver)?

    func bytes(of reference: BulkReference, count: Int, unpackedCount: Int?) throws -> BulkBytes {
        guard let handle = KeptHandle(reference) else {
            guard let next else { throw Unknown() }
            return try next.bytes(of: reference, count: count, unpackedCount: unpackedCount)
        }
        guard let bytes = KeptStore.current.find(handle), bytes.count == count else { throw Unknown() }
        return bytes
    }

    private struct Unknown: Error, CustomStringConvertible {
        let description = "this node does not keep these bytes"
    }
}
