extension Systems.State {
    /// An attempt with bulk bytes that is in flight.
    struct Assigned: Equatable, Sendable {
        let ticket: UInt64
        let cost: Double
        /// Key of its bulk bytes, if they are sent.
        let key: BulkKey?
        /// See ``TaskRequest/origin``.
        let origin: Int
        /// When its bulk bytes were complete at the system; nil before that.
        var arrival: Instant?
    }

    /// Room taken for one attempt.
    package struct Reservation: Equatable, Sendable {
        package let system: SystemID
        /// The run that took it.
        package let run: RunID
        let serial: UInt64
        /// The system's index in the members when the room was taken.
        let index: Int
        let cost: Double
        /// See ``TaskRequest/tasks``.
        let tasks: Int
        /// Names the attempt if it needs bulk bytes; else 0.
        package let ticket: UInt64
        /// Bulk bytes that are fetched from another system for it.
        package let relayed: Int
        /// See ``TaskRequest/isSuspect``.
        let isSuspect: Bool
        /// Slots that were taken beyond one.
        let furtherSlots: Int32
        /// Bytes of memory that were taken.
        let memory: Int
        /// When the room was taken.
        package let start: Instant
    }
}
