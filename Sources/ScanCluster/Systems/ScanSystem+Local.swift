extension ScanSystem {
    /// Runs an attempt on a scan thread of this process.
    func run<Task: ScanTask>(
        _ task: Task, attempt: Int, bulk: BulkSource?, timeout: Duration?, on threads: ScanThreads
    ) async throws(ScanError) -> TaskResponse<Task> {
        let cancellation = ScanCancellation()
        // The context alone holds the bytes, and the task takes them out of it.
        let context =
            if let bulk {
                ScanContext(bulk: try await load(bulk), cancellation: cancellation)
            } else {
                ScanContext(cancellation: cancellation)
            }
        let answer = TimeoutTask<(TaskResponse<Task>.Result, seconds: Double)?>()
        occupancy.begin()
        let job = ScanJob(context: context) {
            [clock, name, occupancy] context in
            let start = clock.now
            let result: TaskResponse<Task>.Result
            do {
                result = .success(try task.scan(context))
            } catch {
                result = .failure(TaskFailure(message: "\(error)", system: name, attempt: attempt))
            }
            let seconds = clock.now.since(start) / .seconds(1)
            occupancy.ended()
            answer.settle((result, seconds))
        } skipped: { [occupancy] in
            occupancy.ended()
            answer.settle(nil)
        }
        threads.submit(job)
        let outcome = await answer.outcome(within: timeout, on: clock) { cancellation.cancel() }
        occupancy.left()
        switch outcome {
        case .result(let (result, seconds)?):
            return try response(of: result, to: task, attempt: attempt, seconds: seconds)
        case .result(nil): throw ScanError(.systemLost, "was stopped before the scan began", system: name)
        case .expired: throw timedOut(after: timeout)
        case .cancelled: throw cancelled
        }
    }
}
