import Dispatch
package import ScanCluster

/// Compresses bulk bytes for all links of a process, one after the other, on a thread of its own, which is started when it
/// is first needed.
package final class BulkCompressor: Sendable {
    private struct State {
        var threads: ScanThreads?
        /// Bytes of the work that has not ended.
        var backlog = 0
    }
    private let state = Locked(State())

    package init() {}

    deinit { state.withLock { $0.threads }?.close() }

    /// Bytes that are being compressed or wait for it.
    package var backlog: Int { state.withLock { $0.backlog } }

    /// Compresses numbers of `width` bytes. Then `done` is called, on the thread, with the compressed bytes, nil if they
    /// would not be shorter, and the seconds that it took.
    package func compress(
        _ bytes: BulkBytes, width: Int, done: @escaping @Sendable (BulkBytes?, _ seconds: Double) -> Void
    ) {
        let count = bytes.count
        let threads = state.withLock { state in
            state.backlog += count
            if state.threads == nil { state.threads = ScanThreads(oneWithNiceness: 0) }
            return state.threads
        }
        let end: @Sendable (BulkBytes?, Double) -> Void = { [self] compressed, seconds in
            state.withLock { $0.backlog -= count }
            done(compressed, seconds)
        }
        // Without a thread the bytes are sent as they are.
        guard let threads else { return end(nil, 1) }
        threads.submit(
            ClosureWork(context: ScanContext(cancellation: ScanCancellation())) { _ in
                let start = DispatchTime.now().uptimeNanoseconds
                let compressed = BulkCompression.compress(bytes, width: width)
                end(compressed, Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9)
            } skipped: {
                end(nil, 1)
            })
    }
}
