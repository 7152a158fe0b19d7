import Foundation
public import SkyFITS

/// The changes of a scan since a ``LiveCursor``, as JSON for its page; `v` is the version of the format.
///
/// A snapshot is the update since the beginning. Every list has the index at which it begins, so that a page may apply
/// an update twice. A report embeds the last snapshot.
public struct LiveUpdate: PageUpdate, Sendable {
    package var v = 3
    /// The constant facts; only in a snapshot.
    package var scan: Scan?
    /// Seconds since the scan began.
    package var time: Double
    package var now: String
    /// All systems, if any of them has changed.
    package var systems: [ScanTimeline.System]?
    package var rounds: Part<Round>
    package var attempts: [AttemptRecord]
    package var moments: Part<ScanTimeline.Moment>
    var resumedCost: Double
    package var sources: Sources
    /// Scale of the preview; nil while there is no picture.
    package var preview: Preview.Scale?
    package var end: End?

    /// The facts that are constant during a scan.
    public struct Scan: Encodable, Sendable {
        package var image: String
        package var width: Int
        package var height: Int
        package var unit: String
        package var software: String
        package var began: String
        package var folder: String
        package var command: String
        package var sky: SkyGrid?
        /// How the image was taken; nil if it is not known.
        public var observation: Observation?

        /// Creates the facts of a scan.
        ///
        /// - Parameters:
        ///   - image: name of the image as given by the user.
        ///   - width: number of columns of the image.
        ///   - height: number of rows of the image.
        ///   - unit: unit of the samples.
        ///   - software: name and version of the program.
        ///   - began: time of the beginning, in ISO 8601.
        ///   - folder: the folder in which the command was given, quoted for a shell.
        ///   - command: the command that repeats the scan, quoted for a shell.
        ///   - sky: celestial coordinates of the image, if it has any.
        public init(
            image: String, width: Int, height: Int, unit: String, software: String, began: String, folder: String,
            command: String, sky: SkyGrid? = nil
        ) {
            (self.image, self.width, self.height, self.unit) = (image, width, height, unit)
            (self.software, self.began, self.folder, self.command) = (software, began, folder, command)
            self.sky = sky
        }
    }

    /// Elements of a list from an index on.
    package struct Part<Element: Encodable & Sendable>: Encodable, Sendable {
        package var from: Int
        package var items: [Element]
    }

    package struct Round: Encodable {
        package var step: String
        package var sectors: [[Int]]
        package var resumed: [[Int]]
    }

    /// An ``Attempt`` with its index in ``ScanTimeline/attempts``.
    package struct AttemptRecord: Encodable {
        package var index: Int
        package var step: String
        package var task: Int
        package var number: Int
        package var system: Int
        package var cost: Double
        package var start: Double
        package var end: Double?
        package var seconds: Double?
        package var outcome: Attempt.Outcome
        package var isHedge: Bool
        package var reason: String?
        var rect: [Int]?
    }

    /// Positions of sources as little-endian 32-bit floats, in base64.
    package struct Sources: Encodable {
        package var from: Int
        package var places: String
        package var total: Int
    }

    package struct End: Encodable {
        package var ending: LiveScan.Ending
        package var catalogue: CatalogueSummary?
        package var quality: ImageQuality?
        package var speedUp: SpeedUp?
    }
}

extension LiveScan {
    /// Returns the whole state, for a page that connects and for a report.
    public func snapshot(of scan: LiveUpdate.Scan, at time: Double) -> LiveUpdate {
        var update = LiveUpdate(self, since: LiveCursor(), at: time)
        update.scan = scan
        return update
    }

    /// Returns the changes since `cursor` and advances it to the current state, or returns nil if there are none.
    public func changes(since cursor: inout LiveCursor, at time: Double) -> LiveUpdate? {
        let reached = LiveCursor(self)
        guard reached != cursor else { return nil }
        defer { cursor = reached }
        return LiveUpdate(self, since: cursor, at: time)
    }

    /// The cursor at the current state.
    public var cursor: LiveCursor { LiveCursor(self) }
}

extension LiveUpdate {
    init(_ live: LiveScan, since cursor: LiveCursor, at time: Double) {
        let timeline = live.timeline
        self.time = milliseconds(timeline.end ?? time)
        now = live.now
        if timeline.systems != cursor.systems { systems = timeline.systems }
        rounds = Part(from: cursor.rounds, items: timeline.rounds.dropFirst(cursor.rounds).map(Round.init))
        attempts = timeline.attempts.indices.compactMap { index in
            let attempt = timeline.attempts[index]
            if index < cursor.outcomes.count, cursor.outcomes[index] == attempt.outcome { return nil }
            return AttemptRecord(attempt, at: index)
        }
        let first = timeline.momentCount - timeline.moments.count
        let from = max(first, cursor.moments)
        moments = Part(from: from, items: Array(timeline.moments.dropFirst(from - first)))
        resumedCost = timeline.resumedCost
        // The catalogue's sources replace the positions.
        let places = live.catalogue == nil ? live.places.dropFirst(cursor.places) : []
        sources = Sources(from: cursor.places / 2, places: Self.base64(places), total: live.sourceCount)
        preview = live.preview
        end = live.ending.map { ending in
            End(ending: ending, catalogue: live.catalogue, quality: live.quality, speedUp: live.speedUp)
        }
    }

    private static func base64(_ places: ArraySlice<Float>) -> String {
        Data(places.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }).base64EncodedString()
    }
}

extension LiveUpdate.Round {
    init(_ round: ScanTimeline.Round) {
        self.init(
            step: round.step, sectors: round.sectors.map(\.sides), resumed: round.resumed.map(\.sides))
    }
}

extension LiveUpdate.AttemptRecord {
    init(_ attempt: Attempt, at index: Int) {
        self.init(
            index: index, step: attempt.step, task: attempt.task, number: attempt.number, system: attempt.system,
            cost: attempt.cost, start: milliseconds(attempt.start), end: attempt.end.map(milliseconds),
            seconds: attempt.seconds.map(milliseconds), outcome: attempt.outcome, isHedge: attempt.isHedge,
            reason: attempt.reason, rect: attempt.sector.map(\.sides))
    }
}

extension PixelRect {
    /// First column, first row, width and height.
    fileprivate var sides: [Int] { [x.lowerBound, y.lowerBound, width, height] }
}
