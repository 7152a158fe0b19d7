/// A response on its way from an attempt to the consumer. Passing it on copies a reference, not the response, whose
/// size and parts are unknown here.
final class SharedResponse<Work: ScanTask>: Sendable {
    let value: TaskResponse<Work>

    init(_ value: TaskResponse<Work>) { self.value = value }

    /// Why the task's code threw, if it did.
    var failure: TaskFailure? {
        if case .failure(let failure) = value.result { failure } else { nil }
    }

    /// Seconds the scan took.
    var seconds: Double { value.seconds }
}
