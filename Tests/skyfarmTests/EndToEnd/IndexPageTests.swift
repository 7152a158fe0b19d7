import Foundation
import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyReport
import SkyScan
import Testing

import ImageScanning

/// The pages of a scan of many images, in a browser.
@Suite("pages of many images", .serialized, .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
struct IndexPageTests {
    let scene: Scene
    let browser: Browser

    init() throws {
        scene = try Scene()
        browser = try Browser.start()
    }

    func evaluate<Value: Decodable>(_ expression: String, as: Value.Type = Value.self) throws -> Value {
        try browser.evaluateDrawn(expression)
    }

    struct Image: Decodable {
        var file: String
        var state: String
        var sources: Int?
        var seeing: Double?
        var arcsec: Double?
        var background: Double?
        var noise: Double?
        var limit: Double?
        var page: String?
        var reason: String?
    }

    func images() throws -> [Image] { try evaluate("page.images") }

    private struct Document: Decodable {
        struct File: Decodable {
            var file: String
            var images: [Image]
        }

        struct Image: Decodable {
            var sources: Int
            var background: Double
            var noise: Double
        }

        var files: [File]
    }

    /// Three skies of different seeing, and a file that is none.
    private static let widths = ["a b.fits": 2.5, "b.fits": 4, "c#1.fits": 5.5]

    func night() throws {
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        for (name, width) in Self.widths {
            _ = try scene.sky("night/" + name, size: "1000x900", ["--fwhm", "\(width)"])
        }
        _ = try scene.write("no image".utf8, "night/bad.fits")
    }

    private func scan(_ further: [String] = []) throws -> Program.Result {
        try Program.run(
            ["scan", scene.path("night"), "-o", scene.path("out/{stem}.csv"), "--report", scene.path("out/pages/")]
                + ["--no-discovery", "--json"] + further)
    }

    // MARK: Contents

    @Test("the index has the numbers of the catalogues, and the seeing of the sky")
    func numbers() throws {
        try night()
        let result = try scan()
        #expect(result.code == 23, "\(result.errors)")
        let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
        try browser.open("file://" + scene.path("out/pages/index.html"))
        let images = try images()
        #expect(images.count == 4)
        for image in images {
            let name = (image.file as NSString).lastPathComponent
            guard let width = Self.widths[name] else {
                #expect(image.state == "failed" && image.page == nil)
                #expect(image.reason?.hasPrefix("not a FITS file") == true)
                continue
            }
            let file = try #require(document.files.first { $0.file == image.file }?.images.first)
            let stem = InputList.stem(of: name)
            let rows = String(decoding: try scene.bytes("out/\(stem).csv"), as: UTF8.self).split(separator: "\n")
            #expect(image.state == "done" && image.sources == rows.count - 1 && image.sources == file.sources)
            #expect(abs((image.background ?? 0) / file.background - 1) < 1e-5)
            #expect(abs((image.noise ?? 0) / file.noise - 1) < 1e-5)
            let (seeing, arcsec) = (try #require(image.seeing), try #require(image.arcsec))
            #expect(abs(seeing / width - 1) < 0.05, "\(seeing) for \(width)")
            #expect(abs(arcsec / seeing - 0.3) < 1e-4)
            // The zero point of a synthetic sky is 30, the radius of the aperture 5 pixels.
            let limit = 30 - 2.5 * log10(5 * file.noise * (25 * Double.pi).squareRoot())
            #expect(abs((image.limit ?? 0) - limit) < 1e-3)
        }
        let shown: [String] = try evaluate(
            "[...document.querySelectorAll('#images tbody tr td[data-key=sources]')].map((cell) => cell.textContent)")
        #expect(shown == ["–"] + images.compactMap { image in image.sources.map { "\($0)" } })
    }

    @Test("the failed image is on top, and each other leads to its page and back, without a request to the network")
    func links() throws {
        try night()
        #expect(try scan().code == 23)
        let index = "file://" + scene.path("out/pages/index.html")
        for view in ["#table", "#mosaic"] {
            // A change of the fragment alone would not load the page again.
            try browser.open("\(index)?\(view.dropFirst())\(view)")
            let states: [String] = try evaluate(
                "[...document.querySelectorAll('#images [data-number]')].map((row) => row.className.split(' ').pop())")
            #expect(states == ["failed", "done", "done", "done"])
            let links: [String] = try evaluate("[...document.querySelectorAll('#images a')].map((link) => link.href)")
            #expect(links.count == 3)
            if view == "#mosaic" {
                let loaded = try browser.run(
                    """
                    const pictures = [...document.querySelectorAll("#images img")];
                    await Promise.all(pictures.map((one) => one.decode()));
                    return pictures.map((one) => one.naturalWidth + "x" + one.naturalHeight).join();
                    """)
                #expect(loaded == "125x113,125x113,125x113")
            }
            for link in links {
                try browser.open(link)
                let name: String = try evaluate("document.getElementById('name').textContent")
                #expect(
                    link.contains(
                        InputList.stem(of: (name as NSString).lastPathComponent)
                            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "?"), "\(link): \(name)")
                let back: String = try evaluate("document.querySelector('header a').href")
                #expect(back == index)
                #expect(try evaluate("page.sky.catalogue.count > 100"))
            }
        }
        #expect(
            browser.requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("data:") || $0.hasPrefix("about:") })
        #expect(browser.complaints == [])
    }

    @Test("a folder with pages is refused; one image has an index of its own as well")
    func refused() throws {
        try night()
        #expect(try scan().code == 23)
        let again = try Program.run(
            ["scan", scene.path("night"), "-o", scene.path("out/more/"), "--report", scene.path("out/pages")])
        #expect(again.code == 6 && again.errors.contains("exists already; name another folder for --report"))
        #expect(try scan(["--overwrite"]).code == 23)
        let one = try Program.run(
            ["scan", scene.path("night/b.fits"), "-o", scene.path("out/b2.csv"), "--report", scene.path("out/other/")])
        #expect(one.code == 0, "\(one.errors)")
        let pages = try FileManager.default.contentsOfDirectory(atPath: scene.path("out/other"))
        #expect(pages.sorted() == ["b.0.html", "index.html", "thumbnails"])
    }

    // MARK: Use

    /// An index of this many synthetic images.
    private func write(_ count: Int) throws {
        var index = ImageIndex()
        let words = ["", "not a FITS file: it looks like text; name a FITS image"]
        for number in 0..<count {
            let file = "night/2026-01-02/field-\(number % 7)/image-r-\(number).fits.fz"
            index.know([(1, "CCD\(number % 4)")], of: file)
            if number % 50 == 33 {
                index.fail(1, of: file, words[1])
                continue
            }
            let quality = ImageQuality(
                CatalogueTable(columns: []), header: FITSHeader(cards: []), width: 2000, height: 1000,
                background: Double(100 + number * 37 % 101), noise: 3.5, parameters: ScanParameters())
            index.finish(
                1, of: file,
                .init(
                    width: 2000, height: 1000, sources: number * 7919 % 5003, missing: number % 200 == 3 ? 1 : 0,
                    seconds: 1.25, quality: quality),
                page: "image-r-\(number).1")
        }
        for system in ["a-node-with-a-long-name.in-a-long-domain.example", "local"] {
            index.join(system, slots: 2)
            for task in 0..<count {
                let seconds = Double(80 + task % 100) / Double(count)
                index.finishTask(on: system, seconds: seconds, at: 100 * Double(task + 1) / Double(count))
            }
        }
        index.end("some files scanned")
        let facts = IndexUpdate.Facts(
            software: "skyfarm 0", began: "2026-01-02T03:04:05Z", folder: "/", command: "skyfarm scan night -o c/")
        _ = try scene.write(IndexPage.report(index.snapshot(of: facts, at: 100)), "index.html")
    }

    @Test("an index is not cut off", arguments: [1400, 390], ["table", "mosaic"])
    func layout(width: Int, view: String) throws {
        try write(60)
        for scheme in ["light", "dark"] {
            try browser.setWindow(width: width, height: width == 390 ? 844 : 1000, scheme: scheme)
            try browser.open("file://" + scene.path("index.html?\(scheme)#\(view)"))
            let cut: [String] = try evaluate(
                """
                [...document.querySelectorAll("body *:not(.skip)")].filter((one) =>
                  one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5
                    || one.matches(".scroll, td, th, dd, p, pre, .card, .name") && one.scrollWidth > one.clientWidth + 1
                      && getComputedStyle(one).display !== "inline"
                ).map((one) => one.outerHTML.slice(0, 120))
                """)
            #expect(cut == [])
            // The first image is in view without scrolling.
            #expect(
                try evaluate(
                    "document.querySelector('#images [data-number]').getBoundingClientRect().bottom < innerHeight"))
        }
    }

    @Test("an index of 2,000 images is drawn, sorted and filtered within seconds", arguments: ["table", "mosaic"])
    func many(view: String) throws {
        try write(2000)
        let start = ContinuousClock.now
        try browser.open("file://" + scene.path("index.html#\(view)"))
        #expect(ContinuousClock.now - start < .seconds(8))
        #expect(try evaluate("document.querySelectorAll('#images [data-number]').length") == 2000)
        let seconds: Double = try evaluate(
            """
            await (async () => {
              const start = performance.now(), sort = document.getElementById("sort");
              sort.value = "sources";
              sort.dispatchEvent(new Event("change"));
              document.getElementById("direction").click();
              \(Browser.frame)
              return (performance.now() - start) / 1000;
            })()
            """)
        #expect(seconds < 5)
        let shown =
            "[...document.querySelectorAll('#images [data-number]')].map((row) => page.images[row.dataset.number])"
        let images: [Image] = try evaluate(shown)
        #expect(images.prefix(40).allSatisfy { $0.state == "failed" })
        #expect(images[40..<50].allSatisfy { $0.state == "partial" })
        let sources = images[50...].compactMap(\.sources)
        #expect(sources.count == 1950 && sources == sources.sorted(by: >))
        let filtered: [Image] = try evaluate(
            """
            await (async () => {
              const filter = document.getElementById("filter");
              filter.value = "FITS text ccd1";
              filter.dispatchEvent(new Event("input"));
              \(Browser.frame)
              return \(shown);
            })()
            """)
        #expect(filtered.count == 20 && filtered.allSatisfy { $0.state == "failed" })
        #expect(browser.complaints.filter { !$0.contains("ERR_FILE_NOT_FOUND") } == [])
    }

    @Test("keys go to the filter, and from image to image", arguments: ["table", "mosaic"])
    func keys(view: String) throws {
        try write(60)
        try browser.setWindow(width: 1400, height: 1000)
        try browser.open("file://" + scene.path("index.html#\(view)"))
        let visited: [String] = try evaluate(
            """
            await (async () => {
              const visited = [];
              const press = (key) => {
                (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
                visited.push(document.activeElement.id || document.activeElement.closest("[data-number]").dataset.number);
              };
              press("/");
              document.querySelector("#images a").focus();
              for (const key of ["ArrowRight", "ArrowLeft", "End", "Home", "ArrowDown"]) press(key);
              return visited;
            })()
            """)
        // Image 33 failed and has no page; image 3 is partial and comes before the others.
        #expect(Array(visited.prefix(5)) == ["filter", "0", "3", "59", "3"])
        #expect(view == "table" ? visited[5] == "0" : Int(visited[5]).map { $0 > 1 } == true, "\(visited)")
    }
}
