import Foundation
import Testing

import SkyReport

@Suite struct LiveUpdateTests {
    /// What a page knows: it takes updates as the page's script does.
    private struct Page: Equatable {
        var image: String?
        var now = ""
        var systems: [String] = []
        var rounds: [String] = []
        var attempts: [Int: String] = [:]
        var moments: [Int: String] = [:]
        var places: [Int: Float] = [:]
        var total = 0
        var factor: Int?
        var ending: String?

        struct Form: Decodable {
            struct Scan: Decodable { var image: String }
            struct System: Decodable {
                var name: String
                var isPresent: Bool
            }
            struct Rounds: Decodable {
                struct Item: Decodable {
                    var step: String
                    var sectors: [[Int]]
                    var resumed: [[Int]]
                }
                var from: Int
                var items: [Item]
            }
            struct Attempt: Decodable {
                var index: Int
                var system: Int
                var outcome: String
                var end: Double?
            }
            struct Moments: Decodable {
                struct Item: Decodable { var text: String }
                var from: Int
                var items: [Item]
            }
            struct Sources: Decodable {
                var from: Int
                var places: String
                var total: Int
            }
            struct Preview: Decodable { var factor: Int }
            struct End: Decodable { var ending: String }
            var v: Int
            var scan: Scan?
            var now: String
            var systems: [System]?
            var rounds: Rounds
            var attempts: [Attempt]
            var moments: Moments
            var sources: Sources
            var preview: Preview?
            var end: End?
        }

        mutating func take(_ update: LiveUpdate) throws {
            let form = try JSONDecoder().decode(Form.self, from: Data(update.json()))
            if let scan = form.scan { self = Page(image: scan.image) }
            now = form.now
            systems = form.systems?.map { "\($0.name) \($0.isPresent)" } ?? systems
            for (place, round) in form.rounds.items.enumerated() {
                let text = "\(round.step) \(round.sectors) \(round.resumed)"
                if form.rounds.from + place < rounds.count {
                    rounds[form.rounds.from + place] = text
                } else {
                    rounds.append(text)
                }
            }
            for attempt in form.attempts {
                attempts[attempt.index] = "\(attempt.system) \(attempt.outcome) \(attempt.end ?? -1)"
            }
            for (place, moment) in form.moments.items.enumerated() { moments[form.moments.from + place] = moment.text }
            let bytes = Array(Data(base64Encoded: form.sources.places) ?? Data())
            for place in 0..<bytes.count / 4 {
                let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[4 * place + $1]) << (8 * UInt32($1)) }
                places[2 * form.sources.from + place] = Float(bitPattern: bits)
            }
            total = form.sources.total
            factor = form.preview?.factor
            ending = form.end?.ending
        }
    }

    private let scan = LiveUpdate.Scan(
        image: "</script>", width: 100, height: 40, unit: "adu", software: "skyfarm", began: "now", folder: "/",
        command: "skyfarm scan a")

    /// The events of a scan with a late system, a loss, a hedge and a retry, one after the other.
    private static let events: [@Sendable (inout LiveScan, Double) -> Void] = [
        { live, time in
            live.begin(
                step: "background", waiting: [LiveScanTests.bands[0]], resumed: [LiveScanTests.bands[1]], at: time)
        },
        { live, time in live.timeline.join("a", slots: 2, at: time) },
        { live, time in live.start(task: 0, number: 1, on: "a", cost: 1, at: time) },
        { live, time in live.timeline.finish(task: 0, number: 1, seconds: 0.5, at: time) },
        { live, time in live.begin(step: "extraction", waiting: LiveScanTests.bands, resumed: [], at: time) },
        { live, time in live.start(task: 0, number: 1, on: "a", cost: 1, at: time) },
        { live, time in live.timeline.join("b", slots: 1, at: time) },
        { live, _ in live.find(x: [1, 2], y: [3, 4]) },
        { live, time in live.start(task: 0, number: 2, on: "b", cost: 1, at: time) },
        { live, time in live.timeline.finish(task: 0, number: 2, seconds: 1, at: time) },
        { live, time in live.start(task: 1, number: 1, on: "b", cost: 1, at: time) },
        { live, time in live.timeline.retry(task: 1, number: 1, on: "b", reason: "connection lost", at: time) },
        // An attempt that has ended changes once more.
        { live, time in live.timeline.leave("b", at: time) },
        { live, _ in live.find(x: [5], y: [6]) },
        { live, time in live.start(task: 1, number: 2, on: "a", cost: 1, at: time) },
        { live, _ in live.preview = Preview(width: 2, height: 1, factor: 50, pixels: [1, 2]).scale },
        { live, time in live.timeline.fail(task: 1, reason: "broken", at: time) },
        { live, time in live.timeline.note("a line", at: time) },
        { live, _ in live.begin(chore: "writing") },
        { live, time in live.end(.partial, "done", at: time) },
    ]

    @Test(
        "a page that heard of every change knows what a snapshot says, however the changes were gathered",
        arguments: 1...7)
    func changes(step: Int) throws {
        var live = LiveScan()
        var cursor = live.cursor
        var page = Page()
        try page.take(live.snapshot(of: scan, at: 0))
        for (number, event) in Self.events.enumerated() {
            event(&live, Double(number))
            guard number % step == 0 || number == Self.events.count - 1 else { continue }
            let update = try #require(live.changes(since: &cursor, at: Double(number)))
            try page.take(update)
            let once = page
            // An update that comes twice changes nothing.
            try page.take(update)
            #expect(page == once)
            var fresh = Page()
            try fresh.take(live.snapshot(of: scan, at: Double(number)))
            #expect(page == fresh)
        }
        #expect(page.image == "</script>" && page.factor == 50 && page.ending == "partial" && page.now == "done")
        #expect(page.systems == ["a true", "b false"] && page.rounds.count == 2)
        #expect(page.places == [0: 1, 1: 3, 2: 2, 3: 4, 4: 5, 5: 6] && page.total == 3)
        #expect(
            Set(page.attempts.values.map { $0.split(separator: " ")[1] }) == ["done", "superseded", "lost", "failed"])
    }

    @Test("where nothing has changed there is nothing to tell")
    func nothing() {
        let live = LiveScanTests.begun
        var cursor = live.cursor
        #expect(live.changes(since: &cursor, at: 9) == nil)
    }

    @Test("a change is sent alone: not the scan so far")
    func small() throws {
        var live = LiveScanTests.begun
        for task in 0..<1000 { live.start(task: task, number: 9, on: "node", cost: 1, at: 2) }
        var cursor = live.cursor
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 3)
        let update = try #require(live.changes(since: &cursor, at: 3))
        // The attempt that gave the output, and the one that came too late.
        #expect(update.attempts.map(\.index) == [0, 2] && update.systems == nil && update.rounds.items.isEmpty)
        #expect(update.json().count < 800)
    }

    @Test("lines that are no longer kept are not sent, and the others keep their places")
    func longLog() throws {
        var live = LiveScan()
        var cursor = live.cursor
        for number in 0..<ScanTimeline.momentLimit + 5 { live.timeline.note("\(number)", at: 0) }
        let update = try #require(live.changes(since: &cursor, at: 0))
        #expect(update.moments.from == 5 && update.moments.items.first?.text == "5")
        live.timeline.note("last", at: 0)
        let next = try #require(live.changes(since: &cursor, at: 0))
        #expect(next.moments.from == ScanTimeline.momentLimit + 5 && next.moments.items.map(\.text) == ["last"])
    }
}
