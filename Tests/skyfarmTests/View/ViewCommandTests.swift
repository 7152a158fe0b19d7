import Foundation
import Testing
import skyfarm

@Suite("view") struct ViewCommandTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    /// Runs `skyfarm view`, with a browser that records the address it is given and ends with `code`.
    private func view(_ words: String..., browser: String? = nil, code: Int = 0) throws -> Program.Result {
        let path = try scene.script("echo \"$*\" >>'\(scene.path("opened"))'\nexit \(code)", "browser")
        return try Program.run(
            ["view"] + words,
            environment: [
                "BROWSER": browser ?? path, "PATH": "/nowhere", "XDG_STATE_HOME": scene.path("state"),
                "HOME": scene.folder,
            ])
    }

    private var opened: String { String(decoding: (try? scene.bytes("opened")) ?? Data(), as: UTF8.self) }

    @Test("commands of BROWSER come before the desktop's, with the page where it is wanted")
    func commands() {
        let all = BrowserCommand.all(for: "file:///p", ["BROWSER": "a -new %s -x::lynx"]).map(\.words)
        #expect(all.prefix(2) == [["a", "-new", "file:///p", "-x"], ["lynx", "file:///p"]] && all.count == 3)
        #expect(BrowserCommand.all(for: "file:///p", [:]).map(\.words.count) == [2])
    }

    @Test("the page that is named opens: a file, or the index of a folder")
    func named() throws {
        let page = try scene.write("<!doctype html>".utf8, "out/a page.html")
        let result = try view(page)
        #expect(result.code == 0 && result.errors == "opened \(page)\n")
        _ = try scene.write([], "out/index.html")
        #expect(try view(scene.path("out") + "/", "--quiet").errors.isEmpty)
        let urls = [page, scene.path("out/index.html")].map { URL(fileURLWithPath: $0).absoluteString + "\n" }
        #expect(opened == urls.joined() && urls[0].contains("a%20page"))
    }

    @Test("without a name it is the page of the last scan that has one")
    func newest() throws {
        #expect(
            try view().errors.contains("no scan in the journal has a page; write one with skyfarm scan IMAGE --report"))
        let image = try scene.sky(size: "100x100")
        // Another threshold is another job.
        for (name, threshold) in [("1.html", "3"), ("2.html", "4")] {
            let words = [
                "scan", image, "-o", scene.path("out/\(name).csv"), "--report", scene.path(name), "--threshold",
                threshold,
                "--quiet",
            ]
            #expect(try Program.run(words, environment: ["XDG_STATE_HOME": scene.path("state")]).code == 0)
            #expect(try view().code == 0)
        }
        try FileManager.default.removeItem(atPath: scene.path("2.html"))
        #expect(try view().code == 0)
        #expect(opened.split(separator: "\n").map { $0.suffix(6) } == ["1.html", "2.html", "1.html"])
    }

    @Test("what is no page is an error of the input")
    func noPage() throws {
        let missing = try view("scan.html")
        #expect(missing.code == 5 && missing.errorLines.count == 1)
        #expect(
            missing.errors.contains("scan.html: no such page; write one with skyfarm scan IMAGE --report scan.html"))
        let catalogue = try scene.write([], "sources.fits")
        #expect(try view(catalogue).errors.contains("sources.fits: not a page; name the HTML file"))
        #expect(try view(scene.path("out")).code == 5)
        #expect(opened.isEmpty)
    }

    @Test("without a browser, or if none succeeds, the error names the page")
    func noBrowser() throws {
        let page = try scene.write([], "scan.html")
        let none = try view(page, browser: "/nowhere/browser")
        #expect(none.code == 1 && none.errorLines.count == 1)
        #expect(none.errors.contains("no browser: install xdg-utils, or name one in BROWSER; the page is file:///"))
        let failed = try view(page, code: 3)
        #expect(failed.code == 1 && failed.errors.contains("/browser ended with exit code 3; the page is file:///"))
    }
}
