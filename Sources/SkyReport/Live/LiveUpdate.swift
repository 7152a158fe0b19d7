import Foundation
internal import SkyImage

/// What a page that watches a scan is told: all that is new since a ``LiveCursor``, as JSON; `v` is the version of the form.
///
/// Everything has its place, so that a page which takes an update in twice is none the worse. A snapshot is the update
/// since nothing was told.
public struct LiveUpdate: Encodable, Sendable {
    var v = 1
    /// Only in a snapshot.
    var scan: Scan?
    /// Seconds since the scan began.
    var time: Double
    var now: String
    /// All of them, if any has changed.
    var systems: [System]?
    var rounds: Part<Round>
    var attempts: [Numbered]
    var moments: Part<ReportData.Moment>
    var sources: Sources
    var hasPreview: Bool
    var end: End?

    /// What does not change.
    public struct Scan: Encodable, Sendable {
        var image: String
        var width: Int
        var height: Int
        /// Pixels of the image along each side of a pixel of the preview.
        var factor: Int
        var software: String
        var began: String
        var command: String

        /// All of it; see ``ReportContents``.
        public init(image: String, width: Int, height: Int, software: String, began: String, command: String) {
            (self.image, self.width, self.height) = (image, width, height)
            (self.software, self.began, self.command) = (software, began, command)
            factor = PreviewBuilder.factor(width: width, height: height)
        }
    }

    struct System: Encodable {
        var name: String
        var slots: Int
        var isPresent: Bool
    }

    /// Elements from a place on.
    struct Part<Element: Encodable & Sendable>: Encodable, Sendable {
        var from: Int
        var items: [Element]
    }

    struct Round: Encodable {
        var step: String
        var sectors: [[Int]]
        var resumed: [[Int]]
    }

    struct Numbered: Encodable {
        var index: Int
        var cost: Double
        var attempt: ReportData.Try
    }

    /// Places as 32-bit floats, little-endian, in base64.
    struct Sources: Encodable {
        var from: Int
        var places: String
        var total: Int
    }

    struct End: Encodable {
        var ending: LiveScan.Ending
        var sources: SourcePack?
    }

    /// One line, in UTF-8.
    public func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // It consists of numbers and texts only, which can be encoded.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}

extension LiveScan {
    /// Everything, for somebody who begins to watch.
    public func snapshot(of scan: LiveUpdate.Scan, at time: Double) -> LiveUpdate {
        var update = LiveUpdate(self, since: LiveCursor(), at: time)
        update.scan = scan
        return update
    }

    /// What is new since `cursor`, which moves on; nil if nothing is.
    public func changes(since cursor: inout LiveCursor, at time: Double) -> LiveUpdate? {
        let reached = LiveCursor(self)
        guard reached != cursor else { return nil }
        defer { cursor = reached }
        return LiveUpdate(self, since: cursor, at: time)
    }

    /// Where somebody stands who was told everything.
    public var cursor: LiveCursor { LiveCursor(self) }
}

extension LiveUpdate {
    init(_ live: LiveScan, since cursor: LiveCursor, at time: Double) {
        let timeline = live.timeline
        self.time = milliseconds(timeline.end ?? time)
        now = live.now
        if timeline.systems != cursor.systems {
            systems = timeline.systems.map { System(name: $0.name, slots: $0.slots, isPresent: $0.isPresent) }
        }
        rounds = Part(from: cursor.rounds, items: timeline.rounds.dropFirst(cursor.rounds).map(Round.init))
        attempts = timeline.attempts.indices.compactMap { index in
            let attempt = timeline.attempts[index]
            if index < cursor.outcomes.count, cursor.outcomes[index] == attempt.outcome { return nil }
            return Numbered(index: index, cost: attempt.cost, attempt: ReportData.Try(attempt, until: nil))
        }
        let first = timeline.momentCount - timeline.moments.count
        let from = max(first, cursor.moments)
        moments = Part(from: from, items: timeline.moments.dropFirst(from - first).map(ReportData.Moment.init))
        sources = Sources(
            from: cursor.places / 2, places: Self.base64(live.places.dropFirst(cursor.places)), total: live.sourceCount)
        hasPreview = live.hasPreview
        end = live.ending.map { End(ending: $0, sources: live.pack) }
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

extension PixelRect {
    /// First column, first row, columns and rows.
    var sides: [Int] { [x.lowerBound, y.lowerBound, width, height] }
}
