extension TaskResponses {
    /// Where a producer of responses sends them.
    package struct Outlet: Sendable {
        let channel: Channel

        /// Sends a response. May be called on any thread.
        /// - Returns: Whether there is room for further ones.
        @discardableResult
        package func send(_ response: TaskResponse<Work>) -> Bool { channel.send(SharedResponse(response)) }

        /// Waits while the consumer has more responses to take than are kept for it. Only the producer may wait.
        package func room() async { await channel.room() }
    }

    /// Responses that `produce` sends in a task of its own, which begins when an iterator is made and is cancelled when the
    /// iterator is dropped or the iterating task is cancelled. The error that it throws ends the sequence.
    /// - Parameters:
    ///   - capacity: responses kept for a slow consumer.
    ///   - executor: runs `produce`; Swift's global one if nil.
    ///   - produce: sends the responses.
    package init(
        capacity: Int, executor: (any TaskExecutor)? = nil,
        produce: @escaping @Sendable (Outlet) async throws(ScanError) -> Void
    ) {
        self.init {
            let channel = Channel(capacity: capacity)
            let course = Task(executorPreference: executor) {
                await withTaskCancellationHandler {
                    var failure: ScanError?
                    do throws(ScanError) {
                        try await produce(Outlet(channel: channel))
                    } catch {
                        failure = error
                    }
                    channel.finish(failure)
                } onCancel: {
                    channel.abandon()
                }
            }
            return AsyncIterator(channel: channel) { course.cancel() }
        }
    }
}
