import Foundation
import ScanCluster
import ScanDashboard
import ScanNetwork
import SkyReport
import Testing

import ImageScanning

/// What a reader does with the image of a page, in a browser.
@Suite(
    "the use of pages", .timeLimit(.minutes(10)), .serialized,
    .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
struct PageUseTests {
    let scene: Scene
    let browser: Browser

    init() throws {
        scene = try Scene()
        browser = try Browser.start()
    }

    private func evaluate<Value: Decodable>(_ expression: String, as: Value.Type = Value.self) throws -> Value {
        try browser.evaluateDrawn(expression)
    }

    /// Scans a synthetic sky, which has coordinates, and opens its report.
    private func openReport(size: String, width: Int = 1400, height: Int = 1000) throws {
        _ = try scene.sky(size: size)
        // In its folder: names as short as those of a user.
        let scan = "scan sky.fits -o out/o.csv --report out/r.html --no-discovery"
        let result = try Program.run(path: "/bin/sh", ["-c", "cd '\(scene.folder)' && exec '\(Program.path)' \(scan)"])
        #expect(result.code == 0, "\(result.errors)")
        try browser.setWindow(width: width, height: height)
        try browser.open("file://" + scene.path("out/r.html"))
    }

    // MARK: Layout

    private struct Layout: Decodable {
        var window: [Double]
        var canvas: [Double]
        /// Shares of the canvas' sides that the image covers.
        var covered: [Double]
        /// Elements that extend beyond the page, and tables and text that extend beyond their boxes.
        var cut: [String]
    }

    private func layout() throws -> Layout {
        try evaluate(
            """
            ((sky, { left, top, right, bottom }) => ({
              window: [innerWidth, innerHeight], canvas: [left, top, right, bottom],
              covered: [sky.image.width * sky.scale / (right - left), sky.image.height * sky.scale / (bottom - top)],
              cut: [...document.querySelectorAll("body *:not(.skip, #picture)")].filter((one) =>
                one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5
                  || one.matches(".scroll, td, th, dd, p, pre") && one.scrollWidth > one.clientWidth
              ).map((one) => one.outerHTML.slice(0, 80)),
            }))(page.sky, document.getElementById("sky").getBoundingClientRect())
            """)
    }

    /// The height of a window, a desktop's or a telephone's.
    private static func height(of width: Int) -> Int { width == 390 ? 844 : 1000 }

    private func check(_ layout: Layout, isSquare: Bool) {
        #expect(layout.canvas[1] >= 0 && layout.canvas[3] <= layout.window[1], "\(layout)")
        #expect(layout.covered.allSatisfy { $0 <= 1.005 } && layout.cut == [], "\(layout)")
        if isSquare { #expect(layout.covered.allSatisfy { $0 > 0.99 }, "\(layout)") }
    }

    @Test(
        "a report shows the whole image without scrolling, and cuts nothing off",
        arguments: ["600x600", "1200x500", "400x1600"], [1400, 390])
    func report(size: String, width: Int) throws {
        try openReport(size: size, width: width, height: Self.height(of: width))
        check(try layout(), isSquare: size != "400x1600")
    }

    @Test("clock times stay within their chart, whenever a scan begins")
    func clockTimes() throws {
        try openReport(size: "600x600", width: 390, height: Self.height(of: 390))
        let cut: Int = try evaluate(
            """
            (() => {
              const place = document.body.appendChild(document.createElement("div"));
              place.className = "figure";
              let cut = 0;
              for (let number = 0; number < 400; number++) {
                const began = 1795737570 + number * 0.137, span = [0.3, 2, 40, 900, 20000][number % 5];
                chart(place, { x: [0, span], y: [0, 1], xLabel: "", yLabel: "", label: "", began }, () => {});
                const edge = place.getBoundingClientRect().right + 0.5;
                cut += [...place.querySelectorAll("text")].filter(
                  (text) => text.getBoundingClientRect().right > edge).length;
              }
              place.remove();
              return cut;
            })()
            """)
        #expect(cut == 0)
    }

    @Test("a live page shows the whole image without scrolling, and cuts nothing off", arguments: [1400, 390])
    func live(width: Int) async throws {
        let recorder = ScanRecorder()
        let long = "a-node-with-a-long-name.in-a-long-domain.example"
        recorder.update { live, time in live.timeline.join(long, slots: 2, at: time) }
        let facts = LiveUpdate.Scan(
            image: "night/sky.fits", width: 600, height: 600, unit: "adu", software: "skyfarm 0",
            began: "2026-01-02T03:04:05Z", folder: "/", command: "skyfarm scan sky.fits")
        let server = try DashboardServer(
            listen: SocketAddress(host: "127.0.0.1", port: 0), source: ScanDashboardSource(facts, recorder))
        try browser.setWindow(width: width, height: Self.height(of: width))
        try browser.open(server.link)
        let layout = try layout()
        await server.close(within: 1)
        check(layout, isSquare: true)
    }

    // MARK: The image

    private struct View: Decodable {
        var scale: Double
        var x: Double
        var y: Double
        var scrolled: Double
        var focus: String
    }

    /// The view, and the place of the image under a point of the window.
    private func view(_ x: Double, _ y: Double) throws -> View {
        try evaluate(
            """
            ((sky, box) => ({
              scale: sky.scale, x: sky.imageX(\(x) - box.left), y: sky.imageY(\(y) - box.top),
              scrolled: scrollY, focus: document.activeElement.id,
            }))(page.sky, document.getElementById("sky").getBoundingClientRect())
            """)
    }

    @Test("the wheel zooms about the pointer without a click; beside the image it scrolls the page")
    func wheel() throws {
        try openReport(size: "600x600")
        let before = try view(300, 500)
        try browser.wheel(300, 500, -240)
        let zoomed = try view(300, 500)
        #expect(zoomed.scale > 1.3 * before.scale && zoomed.focus == "" && zoomed.scrolled == 0)
        #expect(abs(zoomed.x - before.x) < 0.1 && abs(zoomed.y - before.y) < 0.1)
        try browser.wheel(1300, 900, 240)
        _ = try browser.run("while (scrollY === 0) await new Promise((done) => setTimeout(done, 20)); return '';")
        #expect(try view(300, 500).scale == zoomed.scale)
    }

    @Test("the fitted image does not hold up a page that is scrolled over it")
    func scroll() throws {
        try openReport(size: "600x600")
        let before = try view(300, 500)
        try browser.wheel(300, 500, 240)
        _ = try browser.run("while (scrollY === 0) await new Promise((done) => setTimeout(done, 20)); return '';")
        #expect(try view(300, 500).scale == before.scale)
    }

    @Test("under the pointer are coordinates and pixel value; scale, north and link agree with the catalogue")
    func coordinates() throws {
        try openReport(size: "2000x1000")
        try browser.mouse(400, 400)
        let text: String = try evaluate("document.getElementById('sky-pointer').textContent")
        #expect(
            text.contains(
                /^x [0-9.]+, y [0-9.]+ · [0-9:.]+ [+−][0-9:.]+ \S+ · [≈≤≥] -?[0-9.]+ \S+, mean of 2 × 2 pixels$/),
            "\(text)")
        struct Sky: Decodable {
            /// Largest distance of a source from its place on the sky, in arcseconds.
            var worst: Double
            var count: Int
            /// Change of place, 100 pixels to the north, in degrees, and that which the scale predicts.
            var north: [Double]
            var predicted: Double
            var center: [Double]
            var link: String
        }
        let sky: Sky = try evaluate(
            """
            (({ catalogue, image: { grid, width, height } }) => {
              let worst = 0;
              for (let source = 0; source < catalogue.count; source++) {
                const { ra, dec } = grid.coordinates(catalogue.x[source], catalogue.y[source]);
                const right = (ra - catalogue.value("ra", source)) * Math.cos(dec * Math.PI / 180);
                worst = Math.max(worst, 3600 * Math.hypot(right, dec - catalogue.value("dec", source)));
              }
              const [x, y] = [width / 2, height / 2], here = grid.coordinates(x, y);
              const { degrees, north } = grid.scaleAt(x, y);
              const there = grid.coordinates(x + 100 * north[0], y + 100 * north[1]);
              return {
                worst, count: catalogue.count, predicted: 100 * degrees, center: [here.ra, here.dec],
                north: [there.ra - here.ra, there.dec - here.dec], link: document.getElementById("aladin").href,
              };
            })(page.sky)
            """)
        #expect(sky.count > 100 && sky.worst < 0.05, "\(sky)")
        #expect(abs(sky.north[0]) < 0.01 * sky.predicted && abs(sky.north[1] / sky.predicted - 1) < 0.01, "\(sky)")
        let link = try #require(URLComponents(string: sky.link))
        let target = try #require(link.queryItems?.first { $0.name == "target" }?.value)
        let numbers = target.split(separator: " ").compactMap { Double($0) }
        #expect(link.host == "aladin.cds.unistra.fr" && zip(numbers, sky.center).allSatisfy { abs($0 - $1) < 1e-5 })
        #expect(numbers.count == 2)
        // The link is opened only by a click.
        #expect(browser.requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("data:") || $0 == "about:blank" })
        #expect(browser.complaints == [])
    }

    @Test("shades follow the chosen stretch")
    func stretch() throws {
        let preview = Preview(width: 4, height: 1, factor: 1, pixels: [0, 25, 50, 100])
        var live = LiveScan()
        live.preview = preview.scale
        live.end(.complete, "", at: 1)
        let facts = LiveUpdate.Scan(
            image: "sky.fits", width: 4, height: 1, unit: "adu", software: "skyfarm 0", began: "now", folder: "/",
            command: "skyfarm scan sky.fits")
        _ = try scene.write(
            ScanPage.report(live.snapshot(of: facts, at: 1), preview: preview), "page.html")
        try browser.open("file://" + scene.path("page.html"))
        let (black, white) = (preview.stretch.black, preview.stretch.white)
        let heights = preview.pixels.map { min(max((Double($0) - black) / (white - black), 0), 1) }
        let expected: [(String, [Double])] = [
            ("linear", heights.map { 255 * $0 }), ("sqrt", heights.map { 255 * $0.squareRoot() }),
            ("asinh", preview.pixels.map { Double(preview.stretch.shade($0)) }),
        ]
        for (name, shades) in expected {
            let seen: [Double] = try evaluate(
                """
                await (async () => {
                  const choice = document.getElementById("stretch");
                  choice.value = "\(name)";
                  choice.dispatchEvent(new Event("change"));
                  \(Browser.frame)
                  const { sky } = page, context = sky.canvas.getContext("2d");
                  return [0, 1, 2, 3].map((x) => context.getImageData(sky.screenX(x), sky.screenY(0), 1, 1).data[0]);
                })()
                """)
            #expect(zip(seen, shades).allSatisfy { abs($0 - $1) <= 4 }, "\(name): \(seen), not \(shades)")
        }
    }

    // MARK: The catalogue

    private func table(_ text: String) -> [String: [Double]] {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let rows = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let names = (lines.first ?? "").split(separator: ",").map(String.init)
        let columns = names.indices.map { index in rows.map { Double($0[index]) ?? .nan } }
        return Dictionary(zip(names, columns)) { $1 }
    }

    @Test("values, flags and ellipses are those of the catalogue, on the page and in its CSV file")
    func catalogue() throws {
        try openReport(size: "600x500")
        let written = table(String(decoding: try scene.bytes("out/o.csv"), as: UTF8.self))
        let saved = table(try evaluate("page.sky.catalogue.csv()"))
        let sources = try #require(written["x"]).count
        #expect(sources > 10 && Set(saved.keys).isSuperset(of: ["number", "x", "y", "ra", "dec", "theta", "flags"]))
        for (name, values) in saved where name != "flags" {
            let expected = try #require(written[name])
            let agree = zip(values, expected).count { value, expected in
                value.isNaN ? expected.isNaN : abs(value - expected) <= 2e-7 * max(1, abs(expected))
            }
            #expect(agree == sources, "\(name)")
        }
        func column(_ name: String) throws -> [Double] {
            guard let values = written[name] else { throw Browser.Failure(description: "no column \(name)") }
            return values
        }
        let (flag, kron, auto) = (try column("flag"), try column("flag_kron"), try column("flag_auto"))
        let flags = flag.indices.map { Int(flag[$0]) | Int(kron[$0]) | Int(auto[$0]) }
        #expect(saved["flags"]?.map { Int($0) } == flags && flags.contains { $0 != 0 })

        struct Shown: Decodable {
            var axes: [Double]
            var theta: String
            var flags: String
        }
        let shown: [Shown] = try evaluate(
            """
            Array.from({ length: page.sky.catalogue.count }, (_, source) => ({
              axes: page.sky.catalogue.axes(source), flags: page.sky.catalogue.words(source),
              theta: page.sky.catalogue.describe(source).find(([name]) => name === "theta")[1],
            }))
            """)
        let (a, b, theta, radius) = (try column("a"), try column("b"), try column("theta"), try column("kron_radius"))
        for (index, one) in shown.enumerated() {
            let factor = max(2.5 * radius[index], 3.5)
            #expect(abs(one.axes[0] - max(1, factor * a[index])) < 1e-4 * one.axes[0])
            #expect(abs(one.axes[1] - max(1, factor * b[index])) < 1e-4 * one.axes[1])
            #expect(abs((Double(one.theta.prefix { $0 != " " }) ?? .nan) - theta[index]) < 0.00051)
            // As many words as bits.
            let words = one.flags == "none" ? 0 : one.flags.split(separator: ", ").count
            #expect(words == flags[index].nonzeroBitCount, "\(flags[index]): \(one.flags)")
        }
        let columns: String = try evaluate("document.getElementById('download-text').textContent")
        #expect(columns.contains("number, npix, flags;"))
    }

    @Test("a live page without a picture says why, and the terminal as well")
    func noPicture() async throws {
        struct Fault: Error, CustomStringConvertible { var description: String { "the disk is gone" } }
        let warnings = Locked<[String]>([])
        let recorder = ScanRecorder()
        let facts = LiveUpdate.Scan(
            image: "sky.fits", width: 100, height: 100, unit: "adu", software: "skyfarm 0", began: "now", folder: "/",
            command: "skyfarm scan sky.fits")
        let source = ScanDashboardSource(facts, recorder)
        let warn: @Sendable (String) -> Void = { line in
            warnings.withLock { $0.append(line) }
            recorder.note(line)
        }
        source.offer(warn: warn) { throw Fault() }
        let server = try DashboardServer(listen: SocketAddress(host: "127.0.0.1", port: 0), source: source)
        try browser.open(server.link)
        let log = try browser.run(
            """
            const log = document.getElementById("log");
            while (!log.innerText.includes("no picture")) await new Promise((done) => setTimeout(done, 20));
            return log.innerText;
            """)
        await server.close(within: 1)
        let line = "the live page has no picture: the disk is gone"
        #expect(log.contains(line) && warnings.withLock { $0 } == [line])
    }
}
