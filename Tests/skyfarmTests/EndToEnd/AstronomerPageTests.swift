import Foundation
import ScanCluster
import ScanDashboard
import ScanNetwork
import SkyReport
import Testing

import ImageScanning

/// What observers look for on the pages: quality, header and course of a night, in a browser.
@Suite(
    "pages for observers", .timeLimit(.minutes(10)), .serialized,
    .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
struct AstronomerPageTests {
    let scene: Scene
    let browser: Browser

    init() throws {
        scene = try Scene()
        browser = try Browser.start()
        try browser.setWindow(width: 1400, height: 1000)
    }

    private func evaluate<Value: Decodable>(_ expression: String, as: Value.Type = Value.self) throws -> Value {
        try browser.evaluateDrawn(expression)
    }

    /// A synthetic sky whose header has further cards, and lacks those with other keywords of `without`.
    private func sky(_ name: String, _ cards: [String], without: [String] = [], _ further: [String] = []) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scene.sky(name, size: "700x600", further))))
        let header = (0..<bytes.count / 80).map { bytes[$0 * 80..<($0 + 1) * 80] }.map { Array($0) }
        let end = try #require(header.firstIndex { String(decoding: $0, as: UTF8.self).hasPrefix("END   ") })
        let kept = header[..<end].filter { card in
            !without.contains { String(decoding: card, as: UTF8.self).hasPrefix($0) }
        }
        func padded(_ text: String, _ count: Int) -> [UInt8] {
            let bytes = Array(text.utf8)
            return bytes + [UInt8](repeating: 0x20, count: (count - bytes.count % count) % count)
        }
        let lines = kept.flatMap(\.self) + (cards + ["END"]).flatMap { padded($0, 80) }
        let block = padded(String(decoding: lines, as: UTF8.self), 2880)
        _ = try scene.write(block + bytes[((end + 36) / 36 * 2880)...], name)
    }

    private func scan(_ words: [String]) throws {
        let result = try Program.run(["scan"] + words + ["--no-discovery"])
        #expect(result.code == 0, "\(result.errors)")
    }

    /// Names and values of a list of figures.
    private func figures(_ id: String) throws -> [[String]] {
        try evaluate(
            "[...document.querySelectorAll('#\(id) > div')].map((one) => [...one.children].map((two) => two.textContent))"
        )
    }

    // MARK: The page of an image

    @Test("the page of an image opens with its quality and its header; tasks and systems come after the image")
    func order() throws {
        let object = "<img src=x onerror=alert(1)> & \"M 31\""
        try sky(
            "a.fits",
            [
                "OBJECT  = '\(object)'", "FILTER  = 'r'", "EXPTIME = 90.0", "DATE-OBS= '2026-11-26T23:10:05.4'",
                "AIRMASS = 1.234",
            ])
        try scan([scene.path("a.fits"), "-o", scene.path("out/a.csv"), "--report", scene.path("out/a.html")])
        try browser.open("file://" + scene.path("out/a.html"))
        let shown = try figures("figures")
        #expect(
            shown.map(\.[0]) == [
                "Seeing", "Ellipticity", "Background", "Noise", "Limit", "Zero point", "Sources", "Object", "Filter",
                "Exposure", "Date, UTC", "Airmass",
            ])
        let values = Dictionary(uniqueKeysWithValues: shown.map { ($0[0], $0[1]) })
        #expect(values["Object"] == object && values["Filter"] == "r" && values["Exposure"] == "90 s")
        #expect(values["Date, UTC"] == "2026-11-26 23:10:05" && values["Airmass"] == "1.234")
        #expect(values["Zero point"] == "30.00 mag" && values["Background"]?.hasSuffix(" adu") == true)
        #expect(values["Seeing"]?.wholeMatch(of: /0\.\d\d″, \d\.\d\d pix/) != nil, "\(values)")
        #expect(try figures("work").map(\.[0]) == ["Time", "Mean rate", "Tasks", "Systems"])
        let places: [Double] = try evaluate(
            "['figures', 'sky', 'work', 'course', 'systems'].map((id) => document.getElementById(id).getBoundingClientRect().top)"
        )
        #expect(places == places.sorted())
        let axes: [String] = try evaluate(
            "[...document.querySelectorAll('#throughput text')].map((text) => text.textContent)")
        #expect(
            axes.contains { $0.contains(/^\d\d:\d\d:\d\d/) } && axes.contains { $0.contains(/^UTC, \d{4}-/) }, "\(axes)"
        )
        let magnitudes: [String] = try evaluate(
            "[...document.querySelectorAll('#magnitudes text')].map((text) => text.textContent)")
        #expect(magnitudes.contains("magnitude, zero point MAGZERO"))
        #expect(browser.complaints == [])
    }

    @Test("values that a header does not have take no room")
    func bare() throws {
        try sky(
            "b.fits", [], without: ["MAGZERO", "CTYPE", "CRVAL", "CRPIX", "CD", "OBJECT", "DATE", "EXPTIME", "FILTER"])
        try scan([scene.path("b.fits"), "-o", scene.path("out/b.csv"), "--report", scene.path("out/b.html")])
        try browser.open("file://" + scene.path("out/b.html"))
        let shown = try figures("figures")
        #expect(shown.map(\.[0]) == ["Seeing", "Ellipticity", "Background", "Noise", "Sources"])
        #expect(shown.allSatisfy { !$0[1].contains("–") && !$0[1].contains("undefined") && !$0[1].contains("NaN") })
    }

    @Test("an ellipse is drawn with a quarter of the image at most, with its proportions")
    func ellipses() throws {
        try sky("c.fits", [])
        try scan([scene.path("c.fits"), "-o", scene.path("out/c.csv"), "--report", scene.path("out/c.html")])
        try browser.open("file://" + scene.path("out/c.html"))
        let reductions: [Double] = try evaluate(
            """
            (({ catalogue }) => {
              const { values } = catalogue.columns.get("a");
              const before = catalogue.reduction(0);
              values[0] *= 1e4;
              return [before, catalogue.reduction(0), catalogue.axes(0)[0]];
            })(page.sky)
            """)
        #expect(reductions[0] == 1 && abs(reductions[1] * reductions[2] - 700 / 8) < 1e-3)
        let rows: [[String]] = try evaluate("page.sky.catalogue.describe(0)")
        #expect(rows.contains { $0[0] == "ellipse" && $0[1].hasSuffix(" % of its size") })
        // Pixels far from it stay those of the picture.
        let drawn: [Double] = try evaluate(
            """
            ((sky, drawn) => {
              const own = CanvasRenderingContext2D.prototype.ellipse;
              CanvasRenderingContext2D.prototype.ellipse = function (x, y, long, short) { drawn.push(Math.max(long, short) / sky.scale); };
              sky.draw();
              CanvasRenderingContext2D.prototype.ellipse = own;
              return [Math.max(...drawn), drawn.length];
            })(page.sky, [])
            """)
        #expect(drawn[0] < 88 && drawn[1] > 50, "\(drawn)")
    }

    // MARK: The index

    /// Four images of a night, one of them with two extensions that are not scanned side by side.
    private func night() throws {
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        for (number, filter) in ["g", "r", "g"].enumerated() {
            try sky(
                "night/\(number).fits",
                [
                    "OBJECT  = 'NGC 1'", "FILTER  = '\(filter)'", "EXPTIME = 30",
                    "DATE-OBS= '2026-11-2\(number < 2 ? "6T23" : "7T00"):\(number)0:00'", "AIRMASS = 1.\(number)",
                ], ["--seed", "\(number)"])
        }
        _ = try scene.mosaic("night/m.fits", count: 3)
        try scan([scene.path("night"), "-o", scene.path("out/"), "--report", scene.path("out/pages/")])
    }

    @Test("the index has the header's values, plots against time, and its title from folder and dates")
    func index() throws {
        try night()
        try browser.setWindow(width: 1900, height: 1000)
        try browser.open("file://" + scene.path("out/pages/index.html"))
        #expect(try evaluate("document.getElementById('name').textContent") == "night, 2026-11-26 to 2026-11-27")
        #expect(try evaluate("document.title") == "night, 2026-11-26 to 2026-11-27 · Skyfarm")
        let line: String = try evaluate("document.getElementById('facts').textContent")
        #expect(line.contains(", observed 2026-11-26 23:00 to 2026-11-27 00:20 UTC, "), "\(line)")
        let heads: [String] = try evaluate(
            "[...document.querySelectorAll('.index th')].map((head) => head.textContent)")
        #expect(
            heads == [
                "State", "File", "HDU", "Object", "Filter", "Exposure, s", "Date, UTC", "Airmass", "Seeing, ″",
                "Ellipticity", "Background", "Noise", "Limit, mag", "Sources", "Time",
            ])
        let cells: [String] = try evaluate(
            "['file', 'object', 'filter', 'exposure', 'date', 'airmass'].map((key) => document.querySelector(`.index tr.done td[data-key=${key}]`).textContent)"
        )
        #expect(cells == ["0.fits", "NGC 1", "g", "30", "2026-11-26 23:00:00", "1.00"])
        #expect(try evaluate("document.querySelector('.index').getBoundingClientRect().width > 1800"))
        struct Plot: Decodable {
            var name: String
            var dots: Int
            var links: Int
            var texts: [String]
        }
        let plots: [Plot] = try evaluate(
            """
            [...document.querySelectorAll("#plots [data-plot]")].map((plot) => ({
              name: plot.dataset.plot, dots: plot.querySelectorAll("circle").length,
              links: [...plot.querySelectorAll("a")].filter((link) => link.href.baseVal.endsWith(".0.html")).length,
              texts: [...plot.querySelectorAll("text")].map((text) => text.textContent),
            }))
            """)
        #expect(plots.map(\.name) == ["Seeing", "Background", "Limit", "Sources"])
        for plot in plots {
            #expect(plot.dots == 3 && plot.links == 3, "\(plot)")
            #expect(plot.texts.contains("00:00") && plot.texts.contains("UTC, 2026-11-26 to 2026-11-27"), "\(plot)")
        }
        let legend: [String] = try evaluate(
            "[...document.querySelectorAll('#plots-legend > span')].map((entry) => entry.textContent)")
        #expect(legend == ["g", "r"])
        #expect(browser.complaints == [])
        #expect(browser.requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("data:") || $0 == "about:blank" })
    }

    @Test("the extensions of a file stay together, whichever of them ends first")
    func extensions() throws {
        var index = ImageIndex()
        for file in ["n/a.fits", "n/b.fits", "n/c.fits"] { index.add(file: file) }
        // As when the first images of all files are known before the second ones.
        for number in 1...3 {
            for file in ["n/a.fits", "n/b.fits", "n/c.fits"] { index.know([(number, "CCD\(number)")], of: file) }
        }
        index.fail(2, of: "n/b.fits", "torn")
        index.end("done")
        let facts = IndexUpdate.Facts(software: "skyfarm 0", began: "2026-01-02T03:04:05Z", folder: "/", command: "x")
        _ = try scene.write(IndexPage.report(index.snapshot(of: facts, at: 1)), "index.html")
        try browser.open("file://" + scene.path("index.html"))
        func rows() throws -> [String] {
            try evaluate(
                """
                [...document.querySelectorAll("#images tbody tr")].map((row) =>
                  row.querySelector(".name").textContent[0] + row.querySelector("[data-key=hdu]").textContent[0])
                """)
        }
        #expect(try rows() == ["b1", "b2", "b3", "a1", "a2", "a3", "c1", "c2", "c3"])
        let again: Int = try evaluate("document.querySelectorAll('#images tr.again').length")
        #expect(again == 6)
        #expect(try evaluate("document.getElementById('name').textContent") == "n, 2026-01-02")
        _ = try browser.run("page.sortBy('order', true); return '';")
        #expect(try rows() == ["b1", "b2", "b3", "c1", "c2", "c3", "a1", "a2", "a3"])
    }

    @Test("without dates the plots follow the order of the job")
    func undated() throws {
        try FileManager.default.createDirectory(atPath: scene.path("n"), withIntermediateDirectories: true)
        for number in 0..<2 { try sky("n/\(number).fits", [], ["--seed", "\(number)"]) }
        try scan([scene.path("n"), "-o", scene.path("out/"), "--report", scene.path("out/pages/")])
        try browser.open("file://" + scene.path("out/pages/index.html"))
        let texts: [String] = try evaluate(
            "[...document.querySelectorAll('#plots text')].map((text) => text.textContent)")
        #expect(texts.count { $0 == "image of the job" } == 4 && !texts.contains { $0.contains("UTC") })
        let help: String = try evaluate("document.getElementById('plots-help').textContent")
        #expect(help.contains("no DATE-OBS"))
    }

    @Test("the index counts images that are left out apart from those that are done, and says why in their rows")
    func leftOut() throws {
        try FileManager.default.createDirectory(atPath: scene.path("n"), withIntermediateDirectories: true)
        for (number, filter) in ["g", "r", "g"].enumerated() {
            let cards = ["FILTER  = '\(filter)'", "DATE-OBS= '2026-11-26T2\(number):00:00'"]
            try sky("n/\(number).fits", cards, ["--seed", "\(number)"])
        }
        _ = try scene.table("n/stars.fits")
        try scan([
            scene.path("n"), "--where", "FILTER = 'g'", "-o", scene.path("out/"), "--report", scene.path("out/pages/"),
        ])
        try browser.open("file://" + scene.path("out/pages/index.html"))
        #expect(Array(try figures("figures").prefix(2)) == [["Done", "2"], ["Left out", "2"]])
        // A date that both times have is said once.
        let line: String = try evaluate("document.getElementById('facts').textContent")
        #expect(line.contains(", observed 2026-11-26 20:00 to 22:00 UTC, "), "\(line)")
        let rows: [[String]] = try evaluate(
            "[...document.querySelectorAll('#images tr.left-out')].map((row) => ['[data-key=state]', '.name', '.reason'].map((part) => row.querySelector(part).textContent))"
        )
        #expect(rows.map(\.[0]) == ["left-out", "left-out"] && rows.map(\.[1]) == ["1.fits", "stars.fits"])
        #expect(rows[0][2] == "FILTER is 'r'" && rows[1][2].hasPrefix("holds no 2-D image"), "\(rows)")
        // As the index of a watch, which no longer lists its oldest files.
        var index = ImageIndex(limit: 4)
        for number in 0..<9 {
            index.add(file: "n/\(number).fits")
            index.leaveOut(file: "n/\(number).fits", "FILTER is 'r'")
        }
        index.end("done")
        let facts = IndexUpdate.Facts(software: "skyfarm 0", began: "2026-01-02T03:04:05Z", folder: "/", command: "x")
        _ = try scene.write(IndexPage.report(index.snapshot(of: facts, at: 1)), "index.html")
        try browser.open("file://" + scene.path("index.html"))
        #expect(Array(try figures("figures").prefix(2)) == [["Done", "0"], ["Left out", "9"]])
        #expect(browser.complaints == [])
    }

    // MARK: On a telephone

    /// Whether all tables are cards: without a head, each row a grid of named cells, none beyond the window.
    private static let areCards = """
        [...document.querySelectorAll("main table")].filter((table) => table.rows.length > 1).map((table) => {
          const row = table.tBodies[0].rows[0], cell = row.cells[row.cells.length - 1];
          return getComputedStyle(table.tHead).display === "none" && getComputedStyle(row).display === "grid"
            && [...row.cells].every((cell) => cell.getBoundingClientRect().right <= innerWidth)
            && cell.dataset.title !== undefined;
        })
        """

    @Test("on a telephone every table of a report and of an index becomes cards", arguments: ["light", "dark"])
    func cards(scheme: String) throws {
        try night()
        try scan([
            scene.path("night/0.fits"), "-o", scene.path("out/o.csv"), "--report", scene.path("out/r.html"),
        ])
        try browser.setWindow(width: 390, height: 844, scheme: scheme)
        for (page, count) in [("r.html", 2), ("pages/index.html", 1)] {
            try browser.open("file://" + scene.path("out/" + page))
            let tables: [Bool] = try evaluate(Self.areCards)
            #expect(tables == Array(repeating: true, count: count), "\(page)")
        }
        // The images come before the plots.
        #expect(
            try evaluate(
                "document.getElementById('images').getBoundingClientRect().top < document.getElementById('plots').getBoundingClientRect().top"
            ))
    }

    @Test("the tables of a node's page become cards as well")
    func nodeCards() throws {
        let node = try Node("watched", ["--dashboard"])
        try browser.setWindow(width: 390, height: 844)
        try browser.open(try DashboardTests.link(node.program).absoluteString)
        _ = try browser.run(
            "while (!page.update?.cluster.nodes.length) await new Promise((done) => setTimeout(done, 20)); return '';")
        struct Seen: Decodable {
            var display: [String]
            var axis: [String]
            var counts: [String]
            var addressWidth: Double
        }
        let seen: Seen = try evaluate(
            """
            {
              display: [...document.querySelectorAll("main table")].map((table) => getComputedStyle(table.tBodies[0].rows[0]).display),
              axis: [...document.querySelectorAll("#day text")].map((text) => text.textContent),
              counts: [...document.querySelectorAll("#rate text")].map((text) => text.textContent).filter((text) => /^[\\d.]+$/.test(text)),
              addressWidth: document.querySelector("#nodes td[data-title=Address]").getBoundingClientRect().width,
            }
            """)
        #expect(seen.display == ["grid", "grid", "grid"])
        // No part of a task is done, and an address has room in one line.
        #expect(seen.counts == ["0", "1"] && seen.addressWidth > 150)
        #expect(seen.axis.contains { $0.contains(/^UTC, \d{4}-/) } && seen.axis.contains { $0.contains(/^\d\d:\d\d/) })
    }

    // MARK: Before the first data

    /// A source that has nothing to say until it is told to.
    private final class SlowSource: DashboardSource {
        let recorder = ScanRecorder()
        let isReady = Locked(false)
        private let source: ScanDashboardSource

        init() {
            let facts = LiveUpdate.Scan(
                image: "sky.fits", width: 100, height: 100, unit: "adu", software: "skyfarm 0", began: "now",
                folder: "/", command: "skyfarm scan sky.fits")
            source = ScanDashboardSource(facts, recorder)
        }

        func file(at path: String) -> DashboardFile? {
            // The stream is not opened, like that of a server that does not answer.
            let file = source.file(at: path)
            guard path == "/page.js", !isReady.withLock(\.self), let file else { return file }
            let never = "window.EventSource = class extends EventTarget { close() {} };\n"
            return DashboardFile(type: file.type, bytes: Array(never.utf8) + file.bytes)
        }

        func problem() -> String? { nil }
        func metrics() -> PrometheusText { source.metrics() }
        func snapshot() -> [UInt8] { source.snapshot() }
        func changes() -> [UInt8]? { source.changes() }
        func forget() { source.forget() }
    }

    @Test("a page says that it connects, and shows nothing else, until the first data arrive")
    func connecting() async throws {
        let source = SlowSource()
        let server = try DashboardServer(listen: SocketAddress(host: "127.0.0.1", port: 0), source: source)
        try browser.load(server.link)
        let before = try browser.run(
            """
            while (!document.getElementById("connection-text")?.textContent) await new Promise((done) => setTimeout(done, 20));
            return document.getElementById("connection-text").textContent + getComputedStyle(document.querySelector("main")).display;
            """)
        #expect(before == "Connecting …none")
        source.isReady.withLock { $0 = true }
        try browser.open(server.link)
        let after: String = try evaluate(
            "String(document.getElementById('connection').hidden) + getComputedStyle(document.querySelector('main')).display"
        )
        #expect(after == "trueblock")
        await server.close(within: 1)
    }
}
