import Foundation
import ScanBasics
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The updates of a live page, as a browser gets them.
private final class PageUpdates: NSObject, URLSessionDataDelegate {
    struct Update: Decodable {
        struct System: Decodable { var running, slots, done: Int, scheduled: Int? }
        struct Kind: Decodable { var name: String, running, done, failed: Int }
        struct Failure: Decodable { var about, text: String, log: [String] }
        struct State: Decodable {
            var unit: String?, planned: Int?
            var running, waiting, done, failed, recorded: Int, rate: Double
            var systems: [System], types: [Kind], failures: [Failure]

            /// Items of each state together.
            var items: Int { running + waiting + done + failed + recorded }
        }
        var state: State
    }

    private let received = Locked<(bytes: [UInt8], hasEnded: Bool)>(([], false))

    /// Opens the page behind a link.
    static func open(_ link: URL) throws -> PageUpdates {
        let updates = PageUpdates()
        let session = URLSession(configuration: .default, delegate: updates, delegateQueue: nil)
        let words = "http://127.0.0.1:\(link.port ?? 0)/events?\(link.query() ?? "")"
        session.dataTask(with: try #require(URL(string: words))).resume()
        session.finishTasksAndInvalidate()
        return updates
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.withLock { $0.bytes += data }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        received.withLock { $0.hasEnded = true }
    }

    /// Waits for an update.
    func wait(until condition: (Update.State) -> Bool) throws {
        let end = ContinuousClock.now + Program.limit
        while try !states().contains(where: condition) {
            guard .now < end else { throw Program.Failure(description: "\(try states().last as Any)") }
            usleep(10_000)
        }
    }

    /// All updates, once the page has ended.
    func all() throws -> [Update.State] {
        let end = ContinuousClock.now + Program.limit
        while !received.withLock({ $0.hasEnded }), .now < end { usleep(10_000) }
        return try states()
    }

    private func states() throws -> [Update.State] {
        let text = String(decoding: received.withLock { $0.bytes }, as: UTF8.self)
        // The last line may be incomplete.
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .filter { $0.hasPrefix("data: ") }
            .map { try JSONDecoder().decode(Update.self, from: Data($0.dropFirst(6).utf8)).state }
    }
}

/// The live page of `skyfarm map` and `skyfarm call`.
@Suite("pages of programs and functions", .serialized, .timeLimit(.minutes(10))) struct RunPageTests {
    let scene: Scene
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
        for name in ["b.txt", "c.txt"] { _ = try scene.write(Array("\(name)\n".utf8), name) }
    }

    private func metrics(_ link: URL, until line: String) throws {
        while true {
            let answer = try DashboardTests.fetch("/metrics?\(link.query() ?? "")", link)
            #expect(answer.status == 200)
            if answer.text.contains("\n\(line)\n") || answer.status != 200 { return }
            usleep(20_000)
        }
    }

    @Test(
        "shows a line for each item that has ended, and counts tasks",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
    func items() throws {
        let gate = scene.path("gate")
        let work = try scene.script(
            "case $1 in b*) echo bad >&2; exit 3;; esac; while [ ! -e \(gate) ]; do sleep 0.1; done", "w.sh")
        let program = try Program(
            ["map", "work", "{in}", "-o", scene.path("out/"), "--local-program", "work=\(work)", "--local-slots", "2"]
                + ["--no-discovery", "--dashboard", "--", scene.path("b.txt"), scene.path("c.txt")],
            environment: mine.environment)
        let link = try DashboardTests.link(program)
        let browser = try Browser.start()
        try browser.open(link.absoluteString)
        let text = try DashboardTests.wait(
            browser, until: "document.getElementById('log')?.innerText.includes('b.txt')",
            "document.getElementById('log').innerText")
        #expect(text.contains("exit code 3"), "\(text)")
        let page = try browser.run("return document.body.innerText;").replacing(/\s+/, with: " ")
        #expect(page.lowercased().contains("items done 0 of 2 items/s"), "\(page)")
        let failures = try browser.run("return document.getElementById('failures').innerText;")
        #expect(failures.contains("b.txt on") && failures.contains("bad"), "\(failures)")
        _ = try scene.write([], "gate")
        #expect(try program.finish().code == 23)
    }

    @Test("counts items, also of short programs, which nodes run in series")
    func series() throws {
        let gate = scene.path("gate")
        let work = try scene.script(
            "case $1 in *77) echo bad >&2; exit 3;; 150) while [ ! -e \(gate) ]; do sleep 0.05; done;; esac", "w.sh")
        let items = try scene.write(Array((1...300).map { "\($0)\n" }.joined().utf8), "items")
        let words = ["map", "work", "{item}", "-o", scene.path("out/"), "--local-program", "work=\(work)"]
        let program = try Program(
            words + ["--local-slots", "1", "--no-discovery", "--dashboard", "--items", items],
            environment: mine.environment)
        let updates = try PageUpdates.open(try DashboardTests.link(program))
        // Those before it in its series, of 32 at most, have no result yet.
        try updates.wait { $0.done >= 117 }
        _ = try scene.write([], "gate")
        #expect(try program.finish().code == 23)
        let states = try updates.all()
        for state in states where state.planned != nil {
            #expect(state.unit == "item" && state.planned == 300 && state.items == 300, "\(state)")
            #expect(state.running <= 1 && state.systems.allSatisfy { $0.running <= $0.slots })
            #expect(state.systems.reduce(0) { $0 + ($1.scheduled ?? 999) } <= state.waiting)
            #expect(state.systems.isEmpty || state.systems.reduce(0) { $0 + $1.done } == state.done)
        }
        #expect(states.contains { (117...149).contains($0.done) && $0.running == 1 && $0.rate > 0 })
        let last = try #require(states.last)
        #expect((last.done, last.failed, last.running, last.waiting) == (297, 3, 0, 0))
        #expect(last.types.map(\.done) == [297])
        #expect(last.failures.map { $0.about.prefix(4) } == ["77 o", "177 ", "277 "])
        #expect(last.failures.allSatisfy { $0.text == "exit code 3" && $0.log == ["bad"] })
    }

    @Test("of calls counts them")
    func calls() throws {
        let source =
            "import os, time\ndef f(x):\n    if x == 0: raise ValueError('none')\n"
            + "    while x == 3 and not os.path.exists(\"\(scene.path("gate"))\"):"
        _ = try scene.write(Array((source + " time.sleep(0.1)\n    return x\n").utf8), "m.py")
        let values = try scene.write(Array("1\n0\n2\n3\n".utf8), "values")
        let program = try Program(
            ["call", "m.f", values, "--local-python", "m=\(scene.path("m.py")),/usr/bin/python3", "--local-slots", "1"]
                + ["--no-discovery", "--dashboard"], environment: mine.environment)
        let link = try DashboardTests.link(program)
        let updates = try PageUpdates.open(link)
        try metrics(link, until: "skyfarm_tasks_done_total{type=\"python.call/1\"} 2")
        try metrics(link, until: "skyfarm_tasks_failed_total{type=\"python.call/1\"} 1")
        _ = try scene.write([], "gate")
        #expect(try program.finish().code == 23)
        let last = try #require(try updates.all().last)
        #expect((last.planned, last.done, last.failed, last.waiting) == (4, 3, 1, 0))
        let failure = try #require(last.failures.last)
        #expect(failure.about.hasPrefix("item 2 on ") && failure.text == "ValueError: none", "\(failure)")
        #expect(failure.log.contains { $0.contains("raise ValueError") })
    }
}
