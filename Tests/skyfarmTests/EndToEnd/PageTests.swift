import Foundation
import ScanCluster
import ScanDashboard
import ScanNetwork
import SkyCatalogue
import SkyFITS
import SkyReport
import Testing

/// What the script of a scan's page makes of a snapshot, in a browser.
@Suite("pages", .serialized, .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent))) struct PageTests {
    let scene: Scene
    let browser: Browser

    init() throws {
        scene = try Scene()
        browser = try Browser.start()
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
                .init("flag_auto", description: "Bits: 16 aperture cut, 256 flux not measured", .int16([0, 256])),
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
                "[...document.querySelectorAll('#work dt')].filter((name) => name.textContent === 'Speed-up')"
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
}
