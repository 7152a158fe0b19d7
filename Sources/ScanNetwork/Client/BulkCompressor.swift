import ScanSlots
import Dispatch
import Foundation
package import ScanCluster
package import ScanCompression

/// Compresses bulk bytes for all links of a process, in order, on threads of its own, which are started when they are first
/// needed: a link of 10 Gbit/s takes more than one of them gives.
package final class BulkCompressor: Sendable {
    private struct State {
        var threads: ScanThreads?
        /// Bytes of the work that has not ended.
        var backlog = 0
    }
    private let state = Locked(State())
    private let threadLimit: Int

    /// A compressor of as many threads as there are processors, at most four.
    package convenience init() { self.init(threads: min(4, ProcessInfo.processInfo.activeProcessorCount)) }

    package init(threads: Int) { threadLimit = max(1, threads) }

    deinit { state.withLock { $0.threads }?.close() }

    /// Bytes that are being compressed or wait for it, per thread.
    package var backlog: Int { state.withLock { $0.backlog / ($0.threads?.count ?? threadLimit) } }

    /// Compresses numbers of `width` bytes. Then `done` is called, on a thread, with the compressed bytes, nil if they
    /// would not be shorter, and the seconds that it took.
    package func compress(
        _ bytes: BulkBytes, width: Int, method: BulkCompression.Method,
        done: @escaping @Sendable (BulkBytes?, _ seconds: Double) -> Void
    ) {
        let count = bytes.count
        let threads = state.withLock { state in
            state.backlog += count
            if state.threads == nil { state.threads = ScanThreads(atMost: threadLimit, niceness: 0) }
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
                let compressed = BulkCompression.compress(bytes, width: width, method: method)
                // Here, while they are in the processor's cache, rather than on the thread that sends them.
                _ = compressed?.checksum(checksum)
                end(compressed, Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9)
            } skipped: {
                end(nil, 1)
            })
    }
}
