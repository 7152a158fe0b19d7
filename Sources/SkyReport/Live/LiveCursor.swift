/// How much of a scan was told.
public struct LiveCursor: Equatable, Sendable {
    var outcomes: [Attempt.Outcome] = []
    var systems: [ScanTimeline.System] = []
    var rounds = 0
    var moments = 0
    var places = 0
    var sourceCount = 0
    var now = ""
    var hasPreview = false
    var hasEnded = false

    /// Nothing was told.
    public init() {}

    /// All of it was told.
    init(_ scan: LiveScan) {
        outcomes = scan.timeline.attempts.map(\.outcome)
        systems = scan.timeline.systems
        rounds = scan.timeline.rounds.count
        moments = scan.timeline.momentCount
        places = scan.places.count
        sourceCount = scan.sourceCount
        now = scan.now
        hasPreview = scan.hasPreview
        hasEnded = scan.ending != nil
    }
}
