/// A system as it is shown to users.
public struct SystemSnapshot: Equatable, Sendable {
    /// Identity of the system's process.
    public var id: SystemID
    /// Name for users.
    public var name: String
    /// Tasks it runs at the same time.
    public var slots: Int
    /// True for the system of this process.
    public var isLocal: Bool
    /// What it has that tasks may need.
    public var tags: Set<String>
    /// Bytes that its tasks may need together; nil if unknown.
    public var memory: Int?
    /// Bytes that its tasks of this coordinator need now, see ``ScanTask/requiredMemory``.
    public var usedMemory: Int
    /// Attempts under way.
    public var inFlight: Int
    /// Attempts that gave an output since the system joined.
    public var done: Int
    /// Cost per second of one slot, a moving average; nil before the first output.
    public var rate: Double?
    /// When a system that failed is tried again; nil if it is not set aside.
    public var setAsideUntil: Instant?
    /// The processors of the system's process; nil if unknown.
    public var processors: ProcessorShare?

    package init(_ member: Systems.State.Member, processors: ProcessorShare? = nil, at now: Instant) {
        self.processors = processors
        id = member.id
        name = member.name
        slots = member.slots
        isLocal = member.isLocal
        tags = member.tags
        (memory, usedMemory) = (member.memory, member.usedMemory)
        inFlight = member.inFlight
        done = member.done
        rate = member.throughput.rate
        setAsideUntil = member.backOff.isSetAside(at: now) ? member.backOff.until : nil
    }
}
