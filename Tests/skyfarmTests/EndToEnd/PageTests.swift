import Foundation
import ScanCluster
import ScanDashboard
import ScanNetwork
import SkyImage
import SkyReport
import Testing

@testable import skyfarm

/// What the script of a scan's page makes of a snapshot, in a browser.
@Suite("pages", .serialized, .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent))) struct PageTests {
    let scene: Scene
    let browser: Browser

    init() throws {
        scene = try Scene()
        browser = try Browser()
    }

    private static func scan(width: Int, height: Int) -> LiveUpdate.Scan {
        LiveUpdate.Scan(
            image: "sky.fits", width: width, height: height, unit: "adu", software: "skyfarm 0", began: "now",
            folder: "/", command: "skyfarm scan sky.fits")
    }

    /// Opens the report of a scan of an image, by default one of 100 columns and 40 rows.
    private func open(
        _ live: LiveScan, width: Int = 100, height: Int = 40,
        preview: Preview = Preview(width: 2, height: 1, factor: 50, pixels: [1, 2])
    ) throws {
        var live = live
        live.preview = preview.scale
        let snapshot = live.snapshot(of: Self.scan(width: width, height: height), at: 0)
        _ = try scene.write(ScanPage.report(snapshot, preview: preview), "page.html")
        try browser.open("file://" + scene.path("page.html"))
    }

    private func evaluate<Value: Decodable>(_ expression: String, as: Value.Type = Value.self) throws -> Value {
        let text = try browser.run("return JSON.stringify(\(expression));")
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    // MARK: Sources

    private struct Described: Decodable {
        var axes: [[Double]]
        var theta: String
        var flags: String
    }

    @Test("the ellipse of a source is that of flux_auto; theta is in radians, as in the catalogue")
    func ellipse() throws {
        func column(_ name: String, _ values: [Double]) -> CatalogueTable.Column {
            .init(name, description: name, .double(values))
        }
        let table = CatalogueTable(
            columns: [
                column("x", [10, 50]), column("y", [10, 20]), column("a", [2, 4]), column("b", [1.5, 2]),
                column("theta", [.pi / 6, 0]), column("kron_radius", [4, 0]), column("flux_auto", [100, .nan]),
                .init("flag_auto", description: "flag", .int16([0, 256])),
            ],
            header: [
                HeaderEntry("KRONFACT", .real(2), comment: ""), HeaderEntry("KRONMIN", .real(3.25), comment: ""),
            ])
        var live = LiveScan()
        live.end(.complete, "", catalogue: CatalogueSummary(table, missing: []), at: 1)
        try open(live)
        let found: Described = try evaluate(
            """
            ((catalogue) => ({
              axes: [0, 1].map((source) => catalogue.axes(source)),
              theta: catalogue.describe(0).find(([name]) => name === "theta")[1], flags: catalogue.words(1),
            }))(page.state.catalogue())
            """)
        #expect(found.axes == [[16, 12], [13, 6.5]])
        #expect(found.theta == "0.524 rad (30°)")
        #expect(found.flags == "flux not measured")
    }

    // MARK: Throughput

    private struct Throughput: Decodable {
        var width: Double
        var rates: [[Double]]
    }

    private static let bands = (0..<4).map { PixelRect(x: 0..<100, y: $0 * 10..<($0 + 1) * 10) }

    /// Two systems with four bands to scan; both have begun one.
    private var begun: LiveScan {
        var live = LiveScan()
        live.begin(step: "extraction", waiting: Self.bands, resumed: [], at: 0)
        live.timeline.join("local", slots: 2, at: 0)
        live.timeline.join("node", slots: 1, at: 0.5)
        live.start(task: 0, number: 1, on: "local", cost: 1000, at: 1)
        live.start(task: 1, number: 1, on: "node", cost: 1000, at: 1)
        return live
    }

    @Test("rates add up to the pixels of the image, at the time of the scans")
    func throughput() throws {
        var live = begun
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
        live.timeline.finish(task: 1, number: 1, seconds: 2, at: 4)
        live.start(task: 2, number: 1, on: "node", cost: 1000, at: 4)
        live.end(.complete, "", at: 10)
        try open(live)
        let throughput: Throughput = try evaluate("page.state.throughput(10)")
        #expect(throughput.width == 1)
        // The second says it scanned for two of its three seconds.
        #expect(throughput.rates[0] == [0, 2000, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(throughput.rates[1] == [0, 0, 1000, 1000, 0, 0, 0, 0, 0, 0])
    }

    @Test("the speed-up is the one that the program has measured; without one, none is shown")
    func speedUp() throws {
        for (speedUp, shown) in [(SpeedUp(factor: 1.84, over: "local"), "1.84 ×"), (nil, nil)] {
            var live = begun
            live.timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
            live.end(.complete, "", speedUp: speedUp, at: 2)
            try open(live)
            let figures: [String] = try evaluate(
                "[...document.querySelectorAll('#figures dt')].filter((name) => name.textContent === 'Speed-up')"
                    + ".map((name) => name.parentElement.querySelector('dd').textContent)")
            #expect(figures == [shown].compactMap(\.self))
        }
    }

    @Test("results from the journal count in no rate of this run")
    func resumed() throws {
        var live = begun
        live.timeline.resume(cost: 3000)
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
        live.end(.complete, "", at: 2)
        try open(live)
        let throughput: Throughput = try evaluate("page.state.throughput()")
        #expect(abs(throughput.rates.joined().reduce(0, +) * throughput.width - 1000) < 1e-6)
    }

    @Test("no time and no work make no rates", arguments: [0, 1e-9, 5] as [Double])
    func nothing(end: Double) throws {
        var live = LiveScan()
        live.end(.complete, "", at: end)
        try open(live)
        let throughput: Throughput = try evaluate("page.state.throughput()")
        #expect(throughput.rates.isEmpty && throughput.width > 0)
        live = begun
        live.timeline.finish(task: 0, number: 1, seconds: 0, at: 1)
        live.end(.complete, "", at: end)
        try open(live)
        #expect(try evaluate("page.state.throughput().rates.flat().every(Number.isFinite)"))
        #expect(browser.complaints == [])
    }

    // MARK: Sectors

    @Test("the map says who scanned each sector, and counts its sources")
    func sectors() throws {
        struct Sector: Decodable {
            var rect: [Int]
            var state: String
            var system: Int?
            var seconds: Double?
            var sources: Int
        }
        let rows = [-0.4, 9.4, 9.6, 20, 39.4, 39.9, .nan]
        var live = LiveScan()
        live.timeline.join("node", slots: 1, at: 0)
        live.begin(step: "extraction", waiting: Array(Self.bands[1...]), resumed: [Self.bands[0]], at: 0)
        for task in 0..<3 { live.start(task: task, number: 1, on: "node", cost: 1, at: 0) }
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
        live.timeline.fail(task: 1, reason: "broken", at: 2)
        live.timeline.retry(task: 2, number: 1, on: "node", reason: "threw", at: 2)
        live.find(x: rows.map { _ in 5 }, y: rows)
        live.end(.partial, "", at: 3)
        try open(live)
        let sectors: [Sector] = try evaluate("page.state.sectors().sectors")
        #expect(sectors.map(\.state) == ["resumed", "done", "failed", "waiting"])
        #expect(sectors.map(\.system) == [nil, 0, nil, nil])
        #expect(sectors.map(\.sources) == [2, 1, 1, 2])
        #expect(sectors[1].rect == [0, 10, 100, 10] && sectors[1].seconds == 1)
        #expect(browser.complaints == [])
    }

    // MARK: The picture's scale

    /// The preview of a square image that is bright in a square around a place, and dark elsewhere.
    private static func preview(side: Int, brightAt center: (x: Int, y: Int), limit: Int) -> Preview {
        var builder = PreviewBuilder(width: side, height: side, limit: limit, rowsOfSquare: 1)
        let half = side / 40
        let dark = (0..<side).map { Float(10 + $0 % 3) }
        var bright = dark
        for column in center.x - half...center.x + half { bright[column] = 1000 }
        while let rows = builder.nextRows(limit: 1) {
            let row = abs(rows.lowerBound - center.y) <= half ? bright : dark
            for _ in rows { row.withUnsafeBufferPointer { builder.add(rows: $0) } }
        }
        return builder.finish()
    }

    /// Where the picture, its bright square and the source are on the canvas, as fractions of its sides.
    private struct Places: Decodable {
        var left: Double
        var right: Double
        var top: Double
        var bottom: Double
        var brightX: Double
        var brightY: Double
        var sourceX: Double
        var sourceY: Double
        var ratio: Double
    }

    private func measure() throws -> Places {
        try evaluate(
            """
            await (async () => {
              const { sky } = page;
              while (!sky.picture.naturalWidth || !sky.image.stretch) await new Promise((done) => setTimeout(done, 20));
              [sky.marks, sky.overlay] = ["none", "none"];
              sky.draw();
              const { width, height } = sky.canvas, { data } = sky.canvas.getContext("2d").getImageData(0, 0, width, height);
              let [left, right, top, bottom, count, sumX, sumY] = [width, 0, height, 0, 0, 0, 0];
              for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
                const [red, green, blue] = data.subarray(4 * (y * width + x));
                // The picture is grey, the canvas behind it is bluish.
                if (red !== green || green !== blue) continue;
                [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x + 1), Math.min(top, y), Math.max(bottom, y + 1)];
                // The scale bar is white, too, in the lower half.
                if (red > 150 && y < height / 2) { count++; sumX += x + 0.5; sumY += y + 0.5; }
              }
              return {
                left: left / width, right: right / width, top: top / height, bottom: bottom / height,
                brightX: sumX / count / width, brightY: sumY / count / height,
                sourceX: sky.screenX(sky.catalogue.x[0]) / sky.canvas.clientWidth,
                sourceY: sky.screenY(sky.catalogue.y[0]) / sky.canvas.clientHeight, ratio: width / height,
              };
            })()
            """)
    }

    @Test("report and live page draw picture and sources at the same scale", arguments: [800, 4096, 10240])
    func scale(side: Int) async throws {
        let center = (x: side * 7 / 10, y: side * 6 / 10)
        var live = LiveScan()
        live.find(x: [Double(center.x)], y: [Double(center.y)])
        live.end(.complete, "", at: 1)
        try browser.setWindow(width: 1400, height: 1000)
        try open(live, width: side, height: side, preview: Self.preview(side: side, brightAt: center, limit: 1600))
        var measured = [try measure()]

        let recorder = ScanRecorder()
        recorder.update { live, _ in live.find(x: [Double(center.x)], y: [Double(center.y)]) }
        let source = ScanDashboardSource(Self.scan(width: side, height: side), recorder)
        source.offer { Self.preview(side: side, brightAt: center, limit: 1000) }
        let server = try DashboardServer(listen: SocketAddress(host: "127.0.0.1", port: 0), source: source)
        try browser.open(server.link)
        measured.append(try measure())
        await server.close(within: 1)

        for places in measured {
            #expect(places.left < 0.004 && places.right > 0.996 && places.top < 0.004 && places.bottom > 0.996)
            #expect(abs(places.ratio - 1) < 0.01)
            #expect(abs(places.brightX - 0.7) < 0.006 && abs(places.brightY - 0.4) < 0.006)
            #expect(abs(places.sourceX - places.brightX) < 0.004 && abs(places.sourceY - places.brightY) < 0.004)
        }
        #expect(browser.complaints == [])
    }
}
