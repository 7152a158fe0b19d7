/// How much of a scan's state the connected pages have been sent.
public struct LiveCursor: Equatable, Sendable {
    var outcomes: [Attempt.Outcome] = []
    var systems: [ScanTimeline.System] = []
    var rounds = 0
    var moments = 0
    var places = 0
    var sourceCount = 0
    var now = ""
    var preview: Preview.Scale?
    var hasEnded = false

    /// Nothing has been sent.
    public init() {}

    /// All of `scan` has been sent.
    init(_ scan: LiveScan) {
        outcomes = scan.timeline.attempts.map(\.outcome)
        systems = scan.timeline.systems
        rounds = scan.timeline.rounds.count
        moments = scan.timeline.momentCount
        places = scan.places.count
        sourceCount = scan.sourceCount
        now = scan.now
        preview = scan.preview
        hasEnded = scan.ending != nil
    }
}
