public import SkyFITS

/// The state of a scan as shown by its page: attempts, sources found so far, and what the scan is waiting for.
///
/// Its mutating methods, and those of ``timeline``, record the scan's events. A page first gets a ``snapshot(of:at:)``,
/// then the ``changes(since:at:)`` since a ``LiveCursor``; both are a ``LiveUpdate``, which ``ScanPage`` draws. ``now``
/// describes the current activity, and ``problem(at:)`` reports a scan that is stuck.
public struct LiveScan: Sendable {
    /// The result of a scan.
    public enum Ending: String, Encodable, Sendable {
        /// The catalogue was written.
        case complete
        /// The catalogue was written, but sectors are missing.
        case partial
        /// No catalogue was written.
        case failed
    }

    /// The attempts, systems and events of the scan.
    public var timeline = ScanTimeline()
    /// Alternating column and row of each source, in the order of detection, for the first ``sourceLimit`` sources.
    public private(set) var places: [Float] = []
    /// Number of sources found so far; cleaning may remove some.
    public private(set) var sourceCount = 0
    /// Scale and stretch of the image's preview; nil until it exists.
    public var preview: Preview.Scale?
    /// Result of the scan; nil while it runs.
    public private(set) var ending: Ending?
    /// Summary of the catalogue, once it is written.
    package private(set) var catalogue: CatalogueSummary?
    /// Quality of the image, once the scan has ended; nil if unknown.
    package private(set) var quality: ImageQuality?
    /// Speed-up over one system alone, once the scan has ended; nil if unknown.
    package private(set) var speedUp: SpeedUp?
    /// The coordinator's own work outside of tasks; nil if there is none.
    private var chore: String? = "reading the image"
    private var conclusion = ""
    private var lastStart = 0.0

    /// Maximum number of sources whose positions are kept; they take 1.2 MB.
    public static let sourceLimit = SourcePack.limit
    /// Time in seconds without a running attempt, while tasks are waiting, after which the scan counts as stuck.
    public static let stallSeconds = 10.0

    /// Creates the state before the first event.
    public init() {}

    /// Records that a round of a step begins; see ``ScanTimeline/begin(step:waiting:resumed:)``.
    public mutating func begin(step: String, waiting: [PixelRect], resumed: [PixelRect], at time: Double) {
        chore = nil
        lastStart = time
        timeline.begin(step: step, waiting: waiting, resumed: resumed)
    }

    /// Records that the coordinator starts work of its own, such as `writing the catalogue`.
    public mutating func begin(chore words: String) { chore = words }

    /// Records that an attempt begins; see ``ScanTimeline/start(task:number:on:cost:at:)``.
    public mutating func start(task: Int, number: Int, on system: String, cost: Double, at time: Double) {
        lastStart = time
        timeline.start(task: task, number: number, on: system, cost: cost, at: time)
    }

    /// Records sources found at these columns and rows.
    public mutating func find(x: [Double], y: [Double]) {
        for (x, y) in zip(x, y).prefix(Self.sourceLimit - places.count / 2) {
            places.append(Float(x))
            places.append(Float(y))
        }
        sourceCount += x.count
    }

    /// Records the end of the scan; `words` describes the result in one line. Further calls are ignored.
    public mutating func end(
        _ ending: Ending, _ words: String, catalogue: CatalogueSummary? = nil, quality: ImageQuality? = nil,
        speedUp: SpeedUp? = nil, at time: Double
    ) {
        guard self.ending == nil else { return }
        (self.ending, conclusion) = (ending, words)
        (self.catalogue, self.quality, self.speedUp) = (catalogue, quality, speedUp)
        if timeline.end == nil { timeline.finish(at: time) }
        if let catalogue { sourceCount = catalogue.sources.total }
    }

    /// The current activity of the scan, or what it is waiting for, in one line.
    public var now: String {
        if ending != nil { return conclusion }
        if let chore { return chore }
        let round = timeline.round
        let (open, waiting) = (round.open, round.waiting)
        let tasks = "\(open + waiting) \(open + waiting == 1 ? "task" : "tasks") of \(round.step)"
        if open + waiting == 0 { return "the coordinator combines the results of \(round.step)" }
        if !timeline.systems.contains(where: \.isPresent) {
            return "waiting for a node: \(tasks) left"
        }
        if open == 0 { return "waiting for a slot: \(tasks) left" }
        if waiting == 0 { return "waiting for the last \(tasks), on \(Self.list(round.busy))" }
        return "\(open) \(open == 1 ? "task" : "tasks") of \(round.step) running, \(waiting) waiting"
    }

    /// Returns the reason why the scan cannot proceed, without names, or nil if it can.
    public func problem(at time: Double) -> String? {
        guard ending == nil, chore == nil else { return nil }
        let round = timeline.round
        guard round.open == 0, round.waiting > 0 else { return nil }
        if !timeline.systems.contains(where: \.isPresent) {
            return "no system can be reached: the scan waits for a node"
        }
        let seconds = time - lastStart
        return seconds < Self.stallSeconds ? nil : "tasks wait, and no system has started one for \(Int(seconds)) s"
    }

    /// Joins at most three names.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(3)
        if names.count > shown.count { return shown.joined(separator: ", ") + " and \(names.count - shown.count) more" }
        return shown.count < 2
            ? shown.joined() : shown.dropLast().joined(separator: ", ") + " and " + shown[shown.count - 1]
    }
}
