/// The responses of a job, in the order of completion. Each iterator runs the job anew.
public struct TaskResponses<Task: ScanTask>: AsyncSequence, Sendable {
    private let begin: @Sendable () -> AsyncIterator

    init(begin: @escaping @Sendable () -> AsyncIterator) { self.begin = begin }

    /// Starts the job.
    public func makeAsyncIterator() -> AsyncIterator { begin() }

    /// Hands out responses; the job is cancelled when the last copy is dropped.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Cancels the job at the end of its life.
        private final class Lease: Sendable {
            let cancel: @Sendable () -> Void
            init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
            deinit { cancel() }
        }
        private let channel: ResponseChannel<Task>
        private let lease: Lease

        init(channel: ResponseChannel<Task>, cancel: @escaping @Sendable () -> Void) {
            self.channel = channel
            lease = Lease(cancel: cancel)
        }

        /// The next response; nil when every task has had its own.
        /// - Throws: ``ScanError`` when the job could not go on, ``ScanError/Code/cancelled`` when the calling task
        ///   was cancelled; in both cases after all attempts have ended.
        public mutating func next() async throws(ScanError) -> TaskResponse<Task>? {
            try await next(isolation: #isolation)
        }

        /// The next response; nil when every task has had its own.
        /// - Throws: as ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ScanError) -> TaskResponse<Task>? {
            if !_Concurrency.Task.isCancelled, let response = channel.poll() { return response.value }
            let result = await withTaskCancellationHandler {
                await channel.receive()
            } onCancel: {
                [lease] in
                lease.cancel()
            }
            return try result.get()?.value
        }
    }
}
