import Dispatch
import Foundation
import ScanBasics
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The link of a live page whose scan ends before anyone can open it.
@Suite("the live page of a short scan", .serialized, .enabled(if: Tmux.path != nil, Comment(rawValue: Tmux.absent)))
struct ShortScanTests {
    let scene: Scene
    let image: String

    init() throws {
        scene = try Scene()
        image = try scene.sky()
    }

    /// Scans the image in a terminal, as typed at a shell with job control, or as a line of a script.
    private func scan(_ name: String, typed: Bool, _ further: String = "") throws -> Tmux {
        let words = "scan \(image) -o \(scene.path("out/\(name).csv")) --no-discovery --dashboard \(further)"
        return try Tmux(columns: 200, "\(typed ? "set -m; " : "")\(Program.path) \(words)")
    }

    private func link(_ lines: [String]) throws -> URL {
        let match = try #require(lines.joined(separator: "\n").firstMatch(of: /dashboard at (\S+)/))
        return try #require(URL(string: String(match.output.1)))
    }

    private func fetch(_ url: URL) -> String? {
        let answer = Locked<String?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        URLSession.shared.dataTask(with: url) { data, _, _ in
            answer.withLock { $0 = data.map { String(decoding: $0, as: UTF8.self) } }
            isThere.signal()
        }.resume()
        isThere.wait()
        return answer.withLock(\.self)
    }

    @Test("at a terminal the link works after the scan has ended, until Ctrl-C; the exit code is that of the scan")
    func served() throws {
        let terminal = try scan("served", typed: true)
        let lines = try terminal.wait("the notice") { $0.contains { $0.contains("the page is served for another") } }
        #expect(FileManager.default.fileExists(atPath: scene.path("out/served.csv")))
        let token = try link(lines)
        let page = try #require(fetch(token))
        #expect(page.contains("id=\"figures\""))
        try terminal.press("C-c")
        // The terminal shows the keys before the line.
        try terminal.wait("the end of the program") { $0.contains { $0.hasSuffix("end 0") } }
        #expect(fetch(token) == nil)
    }

    @Test(
        "a browser that comes after the end gets the whole page, and the program ends by itself",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
    func opened() throws {
        let terminal = try scan("opened", typed: true)
        let lines = try terminal.wait("the notice") { $0.contains { $0.contains("the page is served for another") } }
        let browser = try Browser.start()
        try browser.open(try link(lines).absoluteString)
        let count = try browser.run(
            """
            while (!page.state.end) await new Promise((done) => setTimeout(done, 20));
            return String(page.sky.catalogue.count);
            """)
        #expect((Int(count) ?? 0) > 50)
        #expect(try terminal.waitForEnd().code == "0")
        #expect(browser.complaints == [])
    }

    @Test("a script does not wait, and of a scan with a report the file is named instead")
    func notServed() throws {
        let script = try scan("script", typed: false).waitForEnd()
        #expect(script.code == "0" && !script.lines.contains { $0.contains("is served") })
        let report = scene.path("out/r.html")
        let reported = try scan("reported", typed: true, "--report \(report)").waitForEnd()
        #expect(reported.code == "0")
        #expect(
            reported.lines.contains { $0.contains("has ended before it was opened; its content is in \(report)") },
            "\(reported.lines)")
    }
}
