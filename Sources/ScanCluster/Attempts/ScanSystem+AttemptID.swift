extension ScanSystem {
    /// Names one attempt among those of a run.
    package struct AttemptID: Hashable, Sendable {
        /// The task's entry until it is done; reused afterwards.
        package let entry: Int
        /// The task's place in the run, from 0.
        package let index: Int
        /// Number of the attempt at the task, from 1; one that was refused does not count.
        package let number: Int
        package let start: Instant
        /// Distinguishes the attempts at the task, those that were refused included.
        let serial: Int
    }
}
