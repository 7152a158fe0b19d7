package import ScanCluster

extension AttemptOutcome {
    /// The system failed.
    package static var fault: AttemptOutcome { .error(ScanError(.systemLost, "a fault of the test")) }

    /// It was cancelled, which shows nothing of the system.
    package static var void: AttemptOutcome { .error(ScanError(.cancelled, "cancelled by the test")) }
}
