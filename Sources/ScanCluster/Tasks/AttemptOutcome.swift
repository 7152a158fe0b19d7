/// How an attempt ended. The transport gives it to the attempt; the registry of systems, the ledger and the report of
/// the run derive from it what follows.
///
/// `Systems.State.release` decides what it means for the system, `ScanCoordinator.RunState.ended` what it means for the
/// task.
public enum AttemptOutcome: Equatable, Sendable {
    /// The scan took `seconds` and returned an output.
    case finished(seconds: Double)
    /// The scan took `seconds` and threw: the cause, and the last lines about it in the system's log.
    case failed(String, log: [String] = [], seconds: Double = 0)
    /// There is no response.
    case error(ScanError)

    /// Whether the scan returned an output.
    var isFinished: Bool { if case .finished = self { true } else { false } }

    /// Whether the system does not have the bulk bytes that the task needs.
    var isPayloadMissing: Bool { if case .error(let error) = self { error.code == .bulkMissing } else { false } }
}
