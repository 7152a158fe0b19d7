import Foundation
import Testing

/// Pages of a job that runs.
extension IndexPageTests {
    /// A scan of the night, and its only node, which is stopped.
    private func stalledScan(_ further: [String] = []) throws -> (Node, Program) {
        try night()
        let node = try Node("only")
        node.program.send(SIGSTOP)
        let words = [
            "scan", scene.path("night"), "-o", scene.path("out/"), "--local-slots", "0", "--node", node.address,
        ]
        return (node, try Program(words + ["--wait", "60", "--dashboard"] + further))
    }

    @Test("the live index shows waiting and running images, and what became of them")
    func live() throws {
        // The scan cannot end before the page is open.
        let (node, program) = try stalledScan()
        defer { node.program.send(SIGCONT) }
        try browser.open(try DashboardTests.link(program).absoluteString)
        #expect(try images().map(\.state).allSatisfy { $0 != "done" })
        node.program.send(SIGCONT)
        _ = try browser.run(
            "while (!page.end) await new Promise((done) => setTimeout(done, 20)); \(Browser.frame) return '';")
        #expect(try images().map(\.state).sorted() == ["done", "done", "done", "failed"])
        #expect(try images().allSatisfy { $0.state == "failed" || ($0.sources ?? 0) > 100 })
        let first: String = try evaluate("document.querySelector('#images [data-number]').className")
        #expect(first == "failed" && browser.complaints == [])
        let busy: [Int] = try evaluate("page.systems.flatMap(({ busy }) => busy)")
        #expect(busy.contains { $0 > 0 } && busy.allSatisfy { (0...100).contains($0) })
        #expect(try program.finish().code == 23)
    }

    @Test("an image that is done leads to its page while the job runs, and back")
    func livePages() throws {
        try night()
        let node = try Node("only")
        let program = try Program(
            ["scan", "--watch", scene.path("night"), "-o", scene.path("out/{stem}.csv"), "--local-slots", "0"]
                + ["--node", node.address, "--dashboard"])
        try browser.open(try DashboardTests.link(program).absoluteString)
        _ = try browser.run(
            """
            while (document.querySelectorAll("#images tr.done a").length < 3)
              await new Promise((done) => setTimeout(done, 20));
            return "";
            """)
        let index: String = try evaluate("location.href")
        let links: [String] = try evaluate(
            "[...document.querySelectorAll('#images tr.done a')].map((link) => link.href)")
        #expect(links.count == 3)
        for link in links {
            try browser.open(link)
            #expect(try evaluate("page.sky.catalogue.count > 100"))
            let width = try browser.run(
                "const one = document.getElementById('picture'); await one.decode(); return String(one.naturalWidth);")
            #expect(width == "500")
            #expect(try evaluate("document.querySelector('header a').href") == index)
        }
        #expect(browser.complaints == [])
        program.send(SIGINT)
        #expect(try program.finish().code != 0)
    }

    @Test("an image that is being scanned leads to its page, which follows the scan and becomes that of the result")
    func runningPage() throws {
        for folder in ["night", "made"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
        for (seed, name) in ["a.fits", "b.fits"].enumerated() {
            _ = try scene.sky("made/" + name, size: "1000x900", ["--seed", "\(seed)"])
        }
        func deliver(_ name: String) throws {
            try FileManager.default.moveItem(atPath: scene.path("made/" + name), toPath: scene.path("night/" + name))
        }
        let node = try Node("only")
        defer { node.program.send(SIGCONT) }
        let program = try Program(
            ["scan", "--watch", scene.path("night"), "-o", scene.path("out/{stem}.csv"), "--local-slots", "0"]
                + ["--node", node.address, "--wait", "60", "--dashboard"])
        let index = try DashboardTests.link(program).absoluteString
        try deliver("a.fits")
        try program.waitForErrors("/out/a.csv")
        // The scan of the second image cannot end before its page is open.
        node.program.send(SIGSTOP)
        try deliver("b.fits")
        try browser.open(index)
        let link = try browser.run(
            """
            for (;;) {
              const link = document.querySelector("#images tr.running a");
              if (link) return link.href;
              await new Promise((done) => setTimeout(done, 20));
            }
            """)
        try browser.open(link)
        #expect(try evaluate("page.state.end === null && page.image.width === 1000"))
        let width = try browser.run(
            """
            const one = document.getElementById("picture");
            while (!one.src) await new Promise((done) => setTimeout(done, 20));
            await one.decode();
            return String(one.naturalWidth);
            """)
        #expect(width == "1000")
        node.program.send(SIGCONT)
        try program.waitForErrors("/out/b.csv")
        // The page loads itself again, which ends the script that waits for it.
        var catalogue = 0
        while catalogue == 0 {
            let count = try? browser.run(
                """
                while (!page.state.end) await new Promise((done) => setTimeout(done, 20));
                return String(page.sky.catalogue.count);
                """)
            catalogue = count.flatMap { Int($0) } ?? 0
        }
        #expect(catalogue > 100 && browser.complaints.allSatisfy { $0.contains("404") }, "\(browser.complaints)")
        program.send(SIGINT)
        #expect(try program.finish().code == 0)
    }

    @Test("a job that is stopped leaves an index of what was and was not scanned")
    func stopped() throws {
        // Nothing can be scanned.
        let (node, program) = try stalledScan(["--report", scene.path("out/pages/")])
        defer { node.program.send(SIGCONT) }
        _ = try DashboardTests.link(program)
        program.send(SIGINT)
        #expect(try program.finish().code == 130)
        try browser.setWindow(width: 390, height: 844, scheme: "dark")
        try browser.open("file://" + scene.path("out/pages/index.html"))
        #expect(try images().map(\.state) == Array(repeating: "waiting", count: 4))
        let text: String = try evaluate("document.querySelector('header').innerText")
        #expect(text.contains("stopped; 0 files scanned") && text.contains("Not scanned"), "\(text)")
    }
}
