import CommandLineKit
import Dispatch
import Foundation
import ScanCluster
import ScanDiscovery
import ScanNetwork
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The live page of a scan, asked by hand and in a browser.
@Suite("dashboards", .serialized) struct DashboardTests {
    /// The link that a program printed.
    static func link(_ program: Program) throws -> URL {
        try program.waitForErrors("dashboard at ")
        try program.wait("the whole link") { $0.contains(/dashboard at \S+\n/) }
        let words = program.errors.firstMatch(of: /dashboard at (\S+)\n/)?.output.1 ?? ""
        return try #require(URL(string: String(words)))
    }

    /// An answer from the server behind a link. Waits for it, as other tests may hold up those that are asynchronous.
    static func fetch(_ path: String, _ link: URL) throws -> (status: Int, text: String) {
        let url = try #require(URL(string: "http://127.0.0.1:\(link.port ?? 0)\(path)"))
        let answer = Locked<Result<(Int, String), any Error>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        URLSession.shared.dataTask(with: url) { data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            let text = String(decoding: data ?? Data(), as: UTF8.self)
            answer.withLock { $0 = error.map { .failure($0) } ?? .success((status, text)) }
            isThere.signal()
        }.resume()
        isThere.wait()
        return try #require(answer.withLock { $0 }).get()
    }

    /// Waits in the page until an expression holds, and returns the text of another.
    static func wait(_ browser: Browser, until condition: String, _ text: String = "''") throws -> String {
        try browser.run(
            """
            const start = performance.now();
            while (!(\(condition))) {
              if (performance.now() - start > 90000) throw new Error(document.body.innerText);
              await new Promise((done) => setTimeout(done, 20));
            }
            return String(\(text));
            """)
    }

    @Test("the link of a page on all addresses has one that browsers on other machines can use")
    func everywhere() throws {
        let node = try Program(
            ["node", "--name", "open", "--slots", "1", "--listen", "127.0.0.1:0", "--dashboard", "0.0.0.0:0"])
        let host = try Self.link(node).host
        #expect(host == NetworkInterface.address(for: "0.0.0.0", among: NetworkInterface.current()))
    }

    @Test("a scan has a page, metrics and a state of health; its link is no part of its report")
    func scan() throws {
        let scene = try Scene()
        let image = try scene.sky()
        let node = try Node("only")
        // The scan cannot end before the requests: it has only this node.
        node.program.send(SIGSTOP)
        defer { node.program.send(SIGCONT) }
        let program = try Program([
            "scan", image, "-o", scene.path("out/o.csv"), "--report", scene.path("out/r.html"), "--band", "64",
            "--local-slots", "0", "--node", node.address, "--wait", "60", "--dashboard",
        ])
        let link = try Self.link(program)
        #expect(link.host() == "127.0.0.1")
        let token = try #require(link.query())
        #expect(try Self.fetch("/metrics", link).status == 401)
        #expect(try Self.fetch("/healthz", link) == (200, "ok\n"))
        let metrics = try Self.fetch("/metrics?\(token)", link)
        #expect(metrics.status == 200 && metrics.text.contains("# TYPE skyfarm_scan_attempts_total counter\n"))
        node.program.send(SIGCONT)
        let result = try program.finish()
        #expect(result.code == 0, "\(result.errors)")
        let secret = try #require(token.split(separator: "=").last)
        #expect(!String(decoding: try scene.bytes("out/r.html"), as: UTF8.self).contains(secret))
    }

    @Test("an address that cannot be listened on is said in one line, before the scan")
    func badAddress() throws {
        let scene = try Scene()
        let image = try scene.sky()
        let result = try Program.run(
            ["scan", image, "-o", scene.path("out/o.csv"), "--dashboard", "192.0.2.1:4870"])
        #expect(result.code == ExitCode.failure.rawValue && scene.outputs.isEmpty)
        #expect(
            result.errorLines == [
                "skyfarm: --dashboard: cannot listen on 192.0.2.1:4870: cannot assign requested address; "
                    + "choose an address of this machine and a free port, or leave both out"
            ])
    }

    @Test(
        "in a browser sectors change as tasks end, a killed node is marked, and the page stays when the scan has ended",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)), arguments: [1280, 420])
    func browser(width: Int) throws {
        let scene = try Scene()
        let image = try scene.sky(size: "6000x6000")
        let nodes = [try Node("first"), try Node("second")]
        let browser = try Browser.start()
        try browser.setWindow(width: width, scheme: width == 420 ? "dark" : "light")
        let program = try Program(
            ["scan", image, "-o", scene.path("out/o.csv"), "--band", "64", "--no-journal", "--local-slots", "0"]
                + ["--dashboard"] + nodes.flatMap { ["--node", $0.address] })
        let link = try Self.link(program)
        try browser.open(link.absoluteString)
        let states = "JSON.parse(document.body.dataset.states || '{}')"
        // The token has left the address.
        #expect(try Self.wait(browser, until: "true", "location.href") == "http://127.0.0.1:\(link.port ?? 0)/")
        let first = try Self.wait(browser, until: "\(states).done >= 1", "\(states).done")
        nodes[0].program.send(SIGKILL)
        let lost = try Self.wait(
            browser, until: "document.querySelector('#systems tr.gone')",
            "document.querySelector('#systems tr.gone').innerText")
        #expect(lost.contains("first") && lost.contains("gone"))
        let then = try Self.wait(
            browser, until: "\(states).done > \(first) || document.body.dataset.ended", "\(states).done")
        #expect((Int(then) ?? 0) > 0 && then != first)
        let ended = try Self.wait(browser, until: "document.body.dataset.ended", "document.body.dataset.ended")
        #expect(ended == "complete")
        let result = try program.finish()
        #expect(result.code == 0, "\(result.errors)")
        // All of the catalogue is there, though no server runs any more.
        let seen = try Self.wait(
            browser,
            until: "document.getElementById('sky-status').textContent.endsWith('in view')"
                + " && document.getElementById('picture').naturalWidth > 0",
            """
            JSON.stringify({
              now: document.getElementById("now").textContent,
              connection: document.getElementById("connection").innerText,
              picture: document.getElementById("picture").naturalWidth, states: \(states), sources: Number(document.body.dataset.sources),
              overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
              cut: [...document.querySelectorAll(".scroll")].some((box) => box.scrollWidth > box.clientWidth),
              log: document.getElementById("log").innerText, fault: document.body.dataset.error ?? "",
            })
            """)
        struct Seen: Decodable {
            var now: String
            var connection: String
            var picture: Int
            var states: [String: Int]
            var sources: Int
            var overflow: Int
            var cut: Bool
            var log: String
            var fault: String
        }
        let page = try JSONDecoder().decode(Seen.self, from: Data(seen.utf8))
        let rows = String(decoding: try scene.bytes("out/o.csv"), as: UTF8.self).split(separator: "\n")
        #expect(page.sources == rows.count { !$0.hasPrefix("#") } - 1)
        #expect(page.now.contains("written to") && page.connection.contains("has ended"))
        #expect(page.states == ["done": 94] && page.overflow == 0 && !page.cut && page.fault == "")
        #expect(page.log.contains("first is gone") && page.picture == 1000)
        // Keys work on what is left, and nothing is asked for any more.
        let brightest = try browser.run(
            """
            const sky = document.getElementById("sky");
            sky.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return document.getElementById("sky-status").textContent;
            """)
        #expect(brightest.hasPrefix("source ") && brightest.contains("flux_auto"))
        #expect(browser.complaints == [])
        let origin = "http://127.0.0.1:\(link.port ?? 0)/"
        #expect(browser.requests.allSatisfy { $0.hasPrefix(origin) || $0 == "about:blank" })
        #expect(browser.requests.count { $0 == origin + "events" } == 1)
    }

    @Test(
        "a node's page shows its coordinators and tasks, and says when the node has ended",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
    func node() throws {
        let scene = try Scene()
        let image = try scene.sky(size: "2000x2000")
        let node = try Node("watched", slots: 2, ["--dashboard"])
        let link = try Self.link(node.program)
        #expect(try Self.fetch("/healthz", link) == (200, "ok\n"))
        let browser = try Browser.start()
        try browser.setWindow(width: 420)
        try browser.open(link.absoluteString)
        #expect(
            try Self.wait(browser, until: "true", "document.getElementById('now').textContent")
                == "waiting for a coordinator")
        let result = try Program.run(
            ["scan", image, "-o", scene.path("out/o.csv"), "--local-slots", "0", "--node", node.address, "--json"])
        #expect(result.code == 0, "\(result.errors)")
        let done = try Report(result.output).tasks.done
        let log = try Self.wait(
            browser, until: "document.getElementById('log').innerText.includes('tasks done')",
            "document.getElementById('log').innerText")
        #expect(log.contains("connected from 127.0.0.1") && log.contains("\(done) tasks done"))
        let metrics = try Self.fetch("/metrics?\(link.query() ?? "")", link).text
        #expect(metrics.contains("\nskyfarm_node_tasks_total \(done)\n"))
        node.program.send(SIGTERM)
        let now = "document.getElementById('now').textContent"
        let ended = try Self.wait(browser, until: "document.body.dataset.ended && \(now).startsWith('ended')", now)
        #expect(ended == "ended after \(done) task\(done == 1 ? "" : "s")")
        #expect(try node.program.finish().code == 0)
        #expect(browser.complaints == [])
    }

    @Test(
        "a page whose scan was killed says so, keeps what it showed, and asks less and less often",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
    func killed() throws {
        let scene = try Scene()
        let image = try scene.sky()
        let browser = try Browser.start()
        // The scan lasts as long as its only node is stopped.
        let node = try Node("stopped")
        node.program.send(SIGSTOP)
        defer { node.program.send(SIGCONT) }
        let program = try Program(
            ["scan", image, "-o", scene.path("out/o.csv"), "--no-journal", "--dashboard", "--local-slots", "0"]
                + ["--wait", "60", "--node", node.address])
        let link = try Self.link(program)
        try browser.open(link.absoluteString)
        program.send(SIGKILL)
        let line = try Self.wait(
            browser, until: "document.body.dataset.lost === '2'",
            "document.getElementById('connection').innerText")
        #expect(line.contains("The connection is lost. Next attempt in 2 s."))
        let events = "http://127.0.0.1:\(link.port ?? 0)/events"
        #expect(browser.requests.count { $0 == events } == 2)
        #expect(try Self.wait(browser, until: "true", "document.getElementById('name').textContent") == image)
    }
}
