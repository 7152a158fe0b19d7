public import SkyFITS

/// The state of a scan as its page shows it: attempts, sources found so far, and what the scan waits for.
///
/// Its mutating methods record the scan's events, as do those of ``timeline``.
public struct LiveScan: Sendable {
    /// How a scan ended.
    public enum Ending: String, Encodable, Sendable {
        /// The catalogue is written.
        case complete
        /// The catalogue is written, but sectors are missing.
        case partial
        /// There is no catalogue.
        case failed
    }

    /// Attempts, systems and events.
    public var timeline = ScanTimeline()
    /// Column and row of each source in turn, in the order in which they were found; the first ``sourceLimit`` sources.
    public private(set) var places: [Float] = []
    /// Sources found so far; cleaning may remove some.
    public private(set) var sourceCount = 0
    /// The preview of the image; nil until it exists.
    public var preview: Preview.Scale?
    /// How it ended; nil while it runs.
    public private(set) var ending: Ending?
    /// The catalogue, once it is written.
    package private(set) var catalogue: CatalogueSummary?
    /// How much faster it was than one system alone, once it has ended; nil if unknown.
    package private(set) var speedUp: SpeedUp?
    /// What the coordinator does itself, outside of tasks.
    private var chore: String? = "reading the image"
    private var conclusion = ""
    private var lastStart = 0.0

    /// Most sources whose places are kept; they take 1.2 MB.
    public static let sourceLimit = SourcePack.limit
    /// Seconds without a running attempt, while tasks wait, after which the scan counts as stuck.
    public static let stallSeconds = 10.0

    /// Nothing has happened.
    public init() {}

    /// A round of a step begins; see ``ScanTimeline/begin(step:waiting:resumed:)``.
    public mutating func begin(step: String, waiting: [PixelRect], resumed: [PixelRect], at time: Double) {
        chore = nil
        lastStart = time
        timeline.begin(step: step, waiting: waiting, resumed: resumed)
    }

    /// The coordinator does something itself, such as `writing the catalogue`.
    public mutating func begin(chore words: String) { chore = words }

    /// An attempt begins; see ``ScanTimeline/start(task:number:on:cost:at:)``.
    public mutating func start(task: Int, number: Int, on system: String, cost: Double, at time: Double) {
        lastStart = time
        timeline.start(task: task, number: number, on: system, cost: cost, at: time)
    }

    /// Sources were found at these columns and rows.
    public mutating func find(x: [Double], y: [Double]) {
        for (x, y) in zip(x, y).prefix(Self.sourceLimit - places.count / 2) {
            places.append(Float(x))
            places.append(Float(y))
        }
        sourceCount += x.count
    }

    /// The scan has ended; `words` describes how, in one line. Further calls are ignored.
    public mutating func end(
        _ ending: Ending, _ words: String, catalogue: CatalogueSummary? = nil, speedUp: SpeedUp? = nil, at time: Double
    ) {
        guard self.ending == nil else { return }
        (self.ending, conclusion, self.catalogue, self.speedUp) = (ending, words, catalogue, speedUp)
        if timeline.end == nil { timeline.finish(at: time) }
        if let catalogue { sourceCount = catalogue.sources.total }
    }

    /// What the scan does or waits for now, in a line.
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

    /// Why the scan cannot proceed, without names; nil if it can.
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

    /// At most three names.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(3)
        if names.count > shown.count { return shown.joined(separator: ", ") + " and \(names.count - shown.count) more" }
        return shown.count < 2
            ? shown.joined() : shown.dropLast().joined(separator: ", ") + " and " + shown[shown.count - 1]
    }
}
