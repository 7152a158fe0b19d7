/// The part of a scan's state that has been sent to the connected pages.
public struct LiveCursor: Equatable, Sendable {
    var outcomes: [Attempt.Outcome] = []
    package var systems: [ScanTimeline.System] = []
    package var rounds = 0
    package var moments = 0
    package var places = 0
    package var sourceCount = 0
    package var now = ""
    package var preview: Preview.Scale?
    var hasEnded = false

    /// Creates the cursor before the first update.
    public init() {}

    /// Creates the cursor after all of `scan` has been sent.
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
