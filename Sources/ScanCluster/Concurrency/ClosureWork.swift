internal import ScanSlots

/// Work in closures.
package final class ClosureWork: ScanWork {
    private let context: ScanContext
    private let body: @Sendable (ScanContext) -> Void
    private let skipped: @Sendable () -> Void

    /// Work; exactly one of `scan` and `skipped` will be called, once.
    /// - Parameters:
    ///   - context: handed to `scan`; if it is cancelled before a thread is free, the work is skipped.
    ///   - scan: does the work, on a scan thread.
    ///   - skipped: called instead of `scan`, when the work was cancelled before it began or the threads were stopped.
    package init(
        context: ScanContext, scan: @escaping @Sendable (ScanContext) -> Void,
        skipped: @escaping @Sendable () -> Void = {}
    ) {
        self.context = context
        body = scan
        self.skipped = skipped
    }

    package var isCancelled: Bool { context.isCancelled }

    package func scan() -> Bool {
        body(context)
        return true
    }

    package func skip() { skipped() }
}
