import Foundation
import ScanBasics
import Testing

/// Picture and sources of report and live page, measured in a browser.
@Suite("the scale of pages", .serialized, .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
struct PageScaleTests {
    let scene: Scene
    let browser: Browser

    init() throws {
        scene = try Scene()
        browser = try Browser.start()
        try browser.setWindow(width: 1400, height: 1000)
    }

    /// Noise, and one bright star.
    private func star(width: Int, height: Int, at center: (x: Int, y: Int)) throws -> String {
        var random = SplitMix64(seed: 1)
        var samples = (0..<width * height).map { _ in Float(100 + random.next() % 7) }
        for y in max(0, center.y - 40)..<min(height, center.y + 40) {
            for x in max(0, center.x - 40)..<min(width, center.x + 40) {
                let (right, up) = (Double(x - center.x), Double(y - center.y))
                samples[y * width + x] += Float(5000 * exp(-(right * right + up * up) / 72))
            }
        }
        return try scene.image("star.fits", axes: [width, height], samples: samples)
    }

    /// Places in pixels of the image as the page maps its canvas to them.
    private struct Places: Decodable {
        var left: Double
        var right: Double
        var top: Double
        /// Of the picture's white pixels.
        var starX: Double
        var starY: Double
        /// Of the brightest source.
        var sourceX: Double
        var sourceY: Double
        var factor: Int
        /// Pixels of the image to a pixel of the canvas.
        var step: Double
    }

    private func measure() throws -> Places {
        let text = try browser.run(
            """
            const { sky } = page;
            // The size is known before all pixels are.
            const isThere = () => sky.picture.complete && sky.picture.naturalWidth && sky.image.stretch;
            while (!isThere()) await new Promise((done) => setTimeout(done, 20));
            await sky.picture.decode();
            [sky.marks, sky.overlay, sky.selected] = ["none", "none", -1];
            sky.draw();
            const { width, height } = sky.canvas;
            const { data } = sky.canvas.getContext("2d").getImageData(0, 0, width, height);
            let [left, right, top, count, sumX, sumY] = [width, 0, height, 0, 0, 0];
            // Without the scale bar.
            for (let y = 0; y < height - 40; y++) for (let x = 0; x < width; x++) {
              const [red, green, blue] = data.subarray(4 * (y * width + x));
              // The picture is grey, the canvas behind it is bluish.
              if (red !== green || green !== blue) continue;
              [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
              top = Math.min(top, y);
              if (red > 250) { count++; sumX += x + 0.5; sumY += y + 0.5; }
            }
            sky.step(1);
            return JSON.stringify({
              left: sky.imageX(left) + 0.5, right: sky.imageX(right) + 0.5, top: sky.imageY(top) + 0.5,
              starX: sky.imageX(sumX / count), starY: sky.imageY(sumY / count),
              sourceX: sky.catalogue.x[sky.selected], sourceY: sky.catalogue.y[sky.selected],
              factor: sky.image.factor, step: 1 / sky.scale,
            });
            """)
        return try JSONDecoder().decode(Places.self, from: Data(text.utf8))
    }

    @Test(
        "report and live page of a scan draw a source at its place in the picture",
        arguments: zip([800, 4096, 10240], [800, 1024, 512]))
    func place(width: Int, height: Int) throws {
        let center = (x: width * 7 / 10, y: height * 6 / 10)
        let image = try star(width: width, height: height, at: center)
        let reported = try Program.run(
            ["scan", image, "-o", scene.path("out/r.csv"), "--report", scene.path("out/r.html"), "--no-discovery"])
        #expect(reported.code == 0, "\(reported.errors)")
        try browser.open("file://" + scene.path("out/r.html"))
        let report = try measure()

        // The scan cannot end before the page is open: it has only this node.
        let node = try Node("only")
        node.program.send(SIGSTOP)
        defer { node.program.send(SIGCONT) }
        let program = try Program([
            "scan", image, "-o", scene.path("out/l.csv"), "--local-slots", "0", "--node", node.address, "--wait", "60",
            "--dashboard",
        ])
        try browser.open(try DashboardTests.link(program).absoluteString)
        node.program.send(SIGCONT)
        _ = try browser.run(
            "while (!document.body.dataset.ended) await new Promise((done) => setTimeout(done, 20)); return '';")
        let live = try measure()
        let result = try program.finish()
        #expect(result.code == 0, "\(result.errors)")

        // The live page has the smaller picture.
        #expect(report.factor == (width + 1599) / 1600 && live.factor == (width + 999) / 1000)
        for (name, page) in [("report", report), ("live page", live)] {
            let tolerance = 2 * page.step + Double(page.factor)
            #expect(abs(page.left) < tolerance && abs(page.right - Double(width)) < tolerance, "\(name): \(page)")
            #expect(abs(page.top - Double(height)) < tolerance, "\(name): \(page)")
            #expect(abs(page.sourceX - Double(center.x)) < 1 && abs(page.sourceY - Double(center.y)) < 1, "\(name)")
            #expect(abs(page.starX - page.sourceX) < tolerance, "\(name): \(page)")
            #expect(abs(page.starY - page.sourceY) < tolerance, "\(name): \(page)")
        }
        #expect(browser.complaints == [])
    }
}
