/// A response on its way through a job: whoever hands it on copies a reference, not the response, whose size and parts only
/// its task knows.
final class SharedResponse<Task: ScanTask>: Sendable {
    let value: TaskResponse<Task>

    init(_ value: TaskResponse<Task>) { self.value = value }

    /// Why the task's code threw, if it did.
    var failure: TaskFailure? {
        if case .failure(let failure) = value.result { failure } else { nil }
    }

    /// Seconds the scan took.
    var seconds: Double { value.seconds }
}
