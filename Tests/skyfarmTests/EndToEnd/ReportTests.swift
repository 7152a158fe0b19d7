import CommandLineKit
import Foundation
import Testing

/// The report pages of a scan.
@Suite("reports", .serialized) struct ReportTests {
    let scene: Scene
    let image: String

    init() throws {
        scene = try Scene()
        image = try scene.sky()
    }

    private func scan(_ further: [String], environment: [String: String] = [:]) throws -> Program.Result {
        try Program.run(
            ["scan", image, "--band", "64", "-o", scene.path("out/o.csv")] + further, environment: environment)
    }

    /// What the script of a page gets.
    private func data(_ name: String) throws -> PageData {
        let page = String(decoding: try scene.bytes(name), as: UTF8.self)
        let start = try #require(page.range(of: #"<script type="application/json" id="snapshot">"#)).upperBound
        let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
        return try JSONDecoder().decode(PageData.self, from: Data(page[start..<end].utf8))
    }

    struct PageData: Decodable {
        struct Scan: Decodable { var command: String }
        struct End: Decodable {
            struct Catalogue: Decodable { var sources: Sources }
            struct Sources: Decodable { var total: Int }
            var catalogue: Catalogue
        }
        struct System: Decodable { var name: String }
        struct Attempt: Decodable {
            var outcome: String
            var rect: [Int]?
        }
        var scan: Scan
        var systems: [System]
        var attempts: [Attempt]
        var end: End
        var sources: Int { end.catalogue.sources.total }
    }

    @Test("a report says who did what, and holds all sources; the preview is a picture")
    func report() throws {
        let nodes = [try Node("first"), try Node("second")]
        let pages = ["--report", scene.path("out/r.html"), "--preview", scene.path("out/p.png")]
        let result = try scan(
            pages + ["--json", "--local-slots", "0"] + nodes.flatMap { ["--node", $0.address] })
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs == ["o.csv", "p.png", "r.html"])
        #expect(try scene.bytes("out/p.png").starts(with: [0x89, 0x50, 0x4e, 0x47]))
        // The nodes share processors: how fast one would be alone is unknown.
        #expect(!result.output.contains("speedUp") && !result.errors.contains("times as fast"))
        let (report, data) = (try Report(result.output), try data("out/r.html"))
        #expect(data.sources == report.sources && report.sources > 0)
        #expect(data.systems.map(\.name).sorted() == ["first", "second"])
        #expect(data.attempts.count { $0.outcome == "done" } == report.tasks.done)
        #expect(data.attempts.allSatisfy { $0.rect != nil })
        guard Browser.path != nil else { return }
        let browser = try Browser.start()
        try browser.open("file://" + scene.path("out/r.html"))
        struct Seen: Decodable {
            struct Tally: Decodable { var done: Int }
            struct Sector: Decodable {
                var rect: [Int]
                var state: String
                var sources: Int
            }
            var tallies: [Tally]
            var sectors: [Sector]
        }
        let text = try browser.run(
            "return JSON.stringify({ tallies: page.state.tallies(), sectors: page.state.sectors().sectors });")
        let seen = try JSONDecoder().decode(Seen.self, from: Data(text.utf8))
        #expect(seen.tallies.map(\.done).reduce(0, +) == report.tasks.done)
        #expect(seen.sectors.count == report.bands && seen.sectors.allSatisfy { $0.state == "done" })
        #expect(seen.sectors.map(\.sources).reduce(0, +) == report.sources)
        #expect(seen.sectors.map { $0.rect[3] }.reduce(0, +) == 500)
    }

    @Test("the command in a report repeats the scan, whatever set its parameters")
    func command() throws {
        let result = try scan(
            ["--report", scene.path("out/it's.html")], environment: ["SKYFARM_THRESHOLD": "3", "SKYFARM_MESH": "32"])
        #expect(result.code == 0, "\(result.errors)")
        let command = try data("out/it's.html").scan.command
        #expect(command.hasPrefix("skyfarm scan ") && command.contains(" --threshold=3 "))
        let expected = try scene.bytes("out/o.csv")
        let again = try Program.run(
            path: "/bin/sh",
            ["-c", command.replacing("skyfarm", with: Program.path, maxReplacements: 1) + " --overwrite"])
        #expect(again.code == 0, "\(again.errors)")
        #expect(try scene.bytes("out/o.csv") == expected)
    }

    @Test("a file that cannot be written stops the scan before it begins")
    func unwritable() throws {
        let result = try scan(["--report", scene.path("nowhere/r.html")])
        #expect(result.code == ExitCode.output.rawValue)
        #expect(
            result.errorLines == [
                "skyfarm: \(scene.path("nowhere/r.html")): its folder does not exist; create it first"
            ])
        #expect(scene.outputs.isEmpty)
    }

    @Test("a report over the image or a catalogue is refused", arguments: ["sky.fits", "out/o.csv"])
    func clash(name: String) throws {
        let before = try scene.bytes("sky.fits")
        let result = try scan(["--overwrite", "--report", scene.path(name)])
        #expect(result.code != 0 && result.errorLines.count == 1, "\(result.errors)")
        #expect(try scene.bytes("sky.fits") == before && scene.outputs.isEmpty)
    }

    @Test(
        "in a browser sources are drawn, filtered and described, and the page fits its window",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)), arguments: [1280, 420])
    func browser(width: Int) throws {
        let result = try scan(["--report", scene.path("out/r.html")])
        #expect(result.code == 0, "\(result.errors)")
        let browser = try Browser.start()
        try browser.setWindow(width: width)
        try browser.open("file://" + scene.path("out/r.html"))
        // What a reader does: look, filter, step through the sources, zoom, step through the tasks.
        let script = """
            const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const sky = document.getElementById("sky"), status = document.getElementById("sky-status");
            const press = async (target, key) => {
              target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
              await frame();
            };
            const isDrawn = () => {
              const data = sky.getContext("2d").getImageData(0, 0, sky.width, sky.height).data;
              // The sources' blue; the image is grey.
              for (let at = 0; at < data.length; at += 4) if (data[at + 2] > data[at] + 60) return true;
              return false;
            };
            const filter = async () => {
              for (const box of document.querySelectorAll("#flags input")) box.click();
              await frame();
            };
            await frame();
            const all = status.textContent, drawn = isDrawn();
            await filter();
            const none = status.textContent, isCleared = !isDrawn();
            await filter();
            await press(sky, "n");
            const brightest = status.textContent;
            await press(sky, "Escape");
            await press(sky, "+");
            const zoomed = status.textContent;
            const click = async (name) => { document.getElementById(name).click(); await frame(); };
            await click("zoom-fit");
            const fitted = status.textContent;
            await click("zoom-in");
            const zoomedAgain = status.textContent;
            await press(document.getElementById("course"), "ArrowRight");
            const task = document.getElementById("course-status").textContent;
            return JSON.stringify({
              all, drawn, none, isCleared, brightest, zoomed, fitted, zoomedAgain, task,
              overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            });
            """
        struct Seen: Decodable {
            var all: String
            var drawn: Bool
            var none: String
            var isCleared: Bool
            var brightest: String
            var zoomed: String
            var fitted: String
            var zoomedAgain: String
            var task: String
            var overflow: Int
        }
        let seen = try JSONDecoder().decode(Seen.self, from: Data(try browser.run(script).utf8))
        let total = try data("out/r.html").sources
        #expect(seen.all == "\(total) sources in view" && seen.drawn)
        #expect(seen.none == "0 sources in view; \(total) filtered out" && seen.isCleared)
        #expect(seen.brightest.hasPrefix("source ") && seen.brightest.contains("flux_auto"))
        #expect(seen.zoomed.hasSuffix("in view") && seen.zoomed != seen.all)
        #expect(seen.fitted == seen.all && seen.zoomedAgain == seen.zoomed)
        #expect(seen.task.contains("background") && seen.task.contains("system local"))
        #expect(seen.overflow == 0)
        #expect(browser.complaints == [])
    }
}
