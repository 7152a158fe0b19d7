import Foundation
internal import SkyImage

/// What the page's script gets, as JSON; `v` is the version of the form.
struct ReportData: Encodable {
    var v = 1
    var image: Image
    var software: String
    var began: String
    var seconds: Double
    var sources: SourcePack
    var systems: [System]
    var attempts: [Try]
    var moments: [Moment]
    var resumedTasks: Int
    var sectors: [SectorMap.Sector]
    var throughput: Throughput
    var magnitudes: Histogram
    var sizes: Histogram
    var parameters: [Parameter]
    var missing: [String]
    var command: String
    var folder: String
    var outputs: [String]

    struct Image: Encodable {
        var name: String
        var width: Int
        var height: Int
        var unit: String
        /// Pixels of the image along each side of a pixel of the picture.
        var factor: Int
    }

    struct System: Encodable {
        var name: String
        var slots: Int
        /// Tasks that it did, and the seconds it scanned for them.
        var tasks: Int
        var seconds: Double
        /// Attempts there that came to nothing.
        var futile: Int
    }

    struct Try: Encodable {
        var step: String
        var task: Int
        var number: Int
        var system: Int
        var start: Double
        /// Nil while it is under way.
        var end: Double?
        var seconds: Double?
        var outcome: Attempt.Outcome
        var isHedge: Bool
        var reason: String?
        var rect: [Int]?
    }

    struct Moment: Encodable {
        var time: Double
        var kind: ScanTimeline.Moment.Kind
        var system: Int?
        var text: String
    }

    struct Parameter: Encodable {
        var key: String
        var value: String
        var meaning: String
    }
}

extension ReportData {
    init(_ contents: ReportContents, _ timeline: ScanTimeline, _ table: CatalogueTable, factor: Int, step: String) {
        image = Image(
            name: contents.image, width: contents.width, height: contents.height, unit: contents.unit, factor: factor)
        (software, began, seconds) = (contents.software, contents.began, contents.seconds)
        sources = SourcePack(table)
        systems = Self.systems(timeline)
        attempts = timeline.attempts.map { Try($0, until: contents.seconds) }
        moments = timeline.moments.map(Moment.init)
        resumedTasks = contents.resumedTasks
        sectors = SectorMap(timeline, step: step, sourceRows: table["y"].map(\.values.reals) ?? []).sectors
        throughput = Throughput(
            timeline, pixels: contents.width * contents.height, until: contents.seconds)
        magnitudes = Histogram(
            (table["flux_auto"]?.values.reals ?? []).lazy.filter { $0 > 0 }.map { -2.5 * log10($0) })
        sizes = Histogram(table["flux_radius"]?.values.reals ?? [])
        parameters = table.header.map(Parameter.init)
        (missing, command, folder) = (contents.missing, contents.command, contents.folder)
        outputs = contents.outputs
    }

    private static func systems(_ timeline: ScanTimeline) -> [System] {
        var systems = timeline.systems.map { System(name: $0.name, slots: $0.slots, tasks: 0, seconds: 0, futile: 0) }
        for attempt in timeline.attempts {
            if attempt.outcome == .done {
                systems[attempt.system].tasks += 1
                systems[attempt.system].seconds += attempt.seconds ?? 0
            } else if attempt.outcome != .returned {
                systems[attempt.system].futile += 1
            }
        }
        return systems
    }
}

extension ReportData.Try {
    init(_ attempt: Attempt, until end: Double?) {
        self.init(
            step: attempt.step, task: attempt.task, number: attempt.number, system: attempt.system,
            start: milliseconds(attempt.start), end: (attempt.end ?? end).map(milliseconds),
            seconds: attempt.seconds.map(milliseconds), outcome: attempt.outcome, isHedge: attempt.isHedge,
            reason: attempt.reason,
            rect: attempt.sector.map(\.sides))
    }
}

extension ReportData.Moment {
    init(_ moment: ScanTimeline.Moment) {
        self.init(time: milliseconds(moment.time), kind: moment.kind, system: moment.system, text: moment.text)
    }
}

extension ReportData.Parameter {
    init(_ entry: HeaderEntry) {
        let value =
            switch entry.value {
            case .text(let text): text
            case .integer(let number): String(number)
            case .real(let number):
                number == number.rounded() && number.magnitude < 1e15 ? String(Int(number)) : "\(number)"
            case .logical(let isTrue): isTrue ? "yes" : "no"
            }
        self.init(key: entry.key, value: value, meaning: entry.comment)
    }
}

extension CatalogueTable.Values {
    var reals: [Double] { (0..<count).map(real) }
}

func milliseconds(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
