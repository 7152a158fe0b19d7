/// The responses of a run, in the order of completion. Each iterator starts a run of its own.
public struct TaskResponses<Work: ScanTask>: AsyncSequence, Sendable {
    private let begin: @Sendable () -> AsyncIterator

    init(begin: @escaping @Sendable () -> AsyncIterator) { self.begin = begin }

    /// Starts a run.
    public func makeAsyncIterator() -> AsyncIterator { begin() }

    /// Iterates over the responses; the run is cancelled when the last copy is dropped.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Cancels the run when it is released.
        private final class Canceller: Sendable {
            let cancel: @Sendable () -> Void
            init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
            deinit { cancel() }
        }
        private let channel: Channel
        private let canceller: Canceller

        init(channel: Channel, cancel: @escaping @Sendable () -> Void) {
            self.channel = channel
            canceller = Canceller(cancel: cancel)
        }

        /// The next response; nil after the last one.
        /// - Throws: ``ScanError`` when the run could not continue, ``ScanError/Code/cancelled`` when the calling task
        ///   was cancelled; in both cases after all attempts have ended.
        public mutating func next() async throws(ScanError) -> TaskResponse<Work>? {
            try await next(isolation: #isolation)
        }

        /// The next response; nil after the last one.
        /// - Throws: as ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ScanError) -> TaskResponse<Work>? {
            if !Task.isCancelled, let response = channel.poll() { return response.value }
            let response = await withTaskCancellationHandler {
                await channel.receive()
            } onCancel: {
                [canceller] in
                canceller.cancel()
            }
            if response == nil, let error = channel.error { throw error }
            return response?.value
        }
    }
}
