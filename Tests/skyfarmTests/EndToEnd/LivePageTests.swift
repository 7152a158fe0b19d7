import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanPage
import ScanSecurity
import Testing

/// Waits for its gate, and fails if its number is negative.
private struct GateTask: ScanTask {
    static let typeName = "test.gate/1"
    static let isOpen = Locked(false)
    struct Negative: Error {}
    var id: Int

    func scan(_ context: ScanContext) throws -> Int {
        while !Self.isOpen.withLock(\.self) {
            try context.checkCancellation()
            usleep(2000)
        }
        if id < 0 { throw Negative() }
        return id
    }
}

/// The live pages of a node and a farm with tasks of their own, asked by hand and in a browser.
@Suite("pages of own tasks", .serialized, .timeLimit(.minutes(10))) struct LivePageTests {
    let keys: KeyRing

    init() throws {
        keys = KeyRing(current: try .random())
        GateTask.isOpen.withLock { $0 = false }
    }

    private func node(_ page: LivePage) throws -> (node: ScanNode, address: String) {
        let node = ScanNode(
            name: "alpha", keys: keys, slots: 2, serving: TaskTypes(GateTask.self), listen: "127.0.0.1:0",
            discovering: [], page: page)
        return (node, "\(try #require(try node.start()))")
    }

    private static func link(_ page: LivePage) throws -> URL { try #require(page.link.flatMap { URL(string: $0) }) }

    private static func metrics(_ page: LivePage) throws -> String {
        let link = try link(page)
        let answer = try DashboardTests.fetch("/metrics?\(link.query() ?? "")", link)
        #expect(answer.status == 200)
        return answer.text
    }

    /// Waits until the metrics have these lines.
    private static func wait(_ page: LivePage, for lines: String...) async throws {
        while !Task.isCancelled {
            let text = try metrics(page)
            if lines.allSatisfy({ text.contains("\n\($0)\n") }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("\(lines): \(try metrics(page))")
    }

    @Test("have the tasks of a node and of the farm that sends them, by type, in their metrics")
    func metrics() async throws {
        let (own, other) = (LivePage(), LivePage())
        let (node, address) = try node(own)
        #expect(try DashboardTests.fetch("/healthz", Self.link(own)) == (200, "ok\n"))
        #expect(try DashboardTests.fetch("/", Self.link(own)).status == 401)
        try await withFarm(running: GateTask.self, nodes: [address], keys: keys, localSlots: 0, page: other) { farm in
            async let failures = farm.responses(to: [0, 1, 2, -1].map(GateTask.init)).reduce(into: 0) {
                count, response in
                if case .failure = response.result { count += 1 }
            }
            try await Self.wait(
                own, for: "skyfarm_node_coordinators 1", #"skyfarm_system_tasks_running{system="alpha"} 2"#)
            try await Self.wait(
                other, for: #"skyfarm_system_slots{system="alpha"} 2"#,
                #"skyfarm_tasks_done_total{type="test.gate/1"} 0"#)
            GateTask.isOpen.withLock { $0 = true }
            #expect(try await failures == 1)
            try await Self.wait(
                own, for: #"skyfarm_tasks_done_total{type="test.gate/1"} 3"#,
                #"skyfarm_tasks_failed_total{type="test.gate/1"} 3"#)
            try await Self.wait(
                other, for: #"skyfarm_tasks_done_total{type="test.gate/1"} 3"#,
                #"skyfarm_tasks_failed_total{type="test.gate/1"} 1"#,
                #"skyfarm_tasks_retried_total{type="test.gate/1"} 2"#,
                #"skyfarm_tasks_running{type="test.gate/1"} 0"#)
        }
        #expect(other.link == nil)
        await node.close()
        #expect(own.link == nil)
    }

    @Test("belong to one farm or node")
    func once() async throws {
        let page = LivePage()
        let (node, _) = try node(page)
        await #expect(throws: PageInUse()) {
            try await withFarm(running: GateTask.self, discovering: [], keys: keys, localSlots: 1, page: page) { _ in }
        }
        await node.close()
    }

    @Test(
        "show their numbers in a browser, and nothing about images",
        .enabled(if: Browser.path != nil, Comment(rawValue: Browser.absent)))
    func browser() async throws {
        let (own, other) = (LivePage(), LivePage())
        let (node, address) = try node(own)
        let browser = try Browser.start()
        try await withFarm(running: GateTask.self, nodes: [address], keys: keys, localSlots: 0, page: other) { farm in
            // The run begins now, on the thread of the network: this one waits for the browser.
            var responses = farm.responses(to: (-1..<20).map(GateTask.init)).makeAsyncIterator()
            try browser.open(try Self.link(other).absoluteString)
            _ = try DashboardTests.wait(browser, until: "byID('types')?.innerText.includes('test.gate/1')")
            // The drawn row, which follows the update.
            _ = try browser.run("window.rowOf = (name) => byID(name).tBodies[0].rows[0]; return '';")
            GateTask.isOpen.withLock { $0 = true }
            let types = try DashboardTests.wait(
                browser,
                until: "['20', '1'].every((text, place) => rowOf('types').cells[2 + place].innerText === text)",
                "[...byID('types').tBodies[0].rows].map((row) => row.innerText).join('|')")
            let cells = types.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            #expect(cells.prefix(6) == ["test.gate/1", "0", "20", "1", "2", "0"], "\(types)")
            let text = try browser.run("return document.body.innerText;")
            #expect(text.contains("alpha") && text.contains("Tasks/s") && text.contains("given up"))
            #expect(text.firstMatch(of: /(?i)pixel|image|source|sky\b/) == nil, "\(text)")
            #expect(try browser.run("return document.body.dataset.error ?? '';") == "")
            var sum = 0
            while let response = try await responses.next() { sum += (try? response.get()) ?? 0 }
            #expect(sum == 190)
            // The node's page, with the coordinator.
            try browser.open(try Self.link(own).absoluteString)
            let name = try DashboardTests.wait(
                browser, until: "byID('coordinators')?.tBodies[0]?.rows[0]?.cells[3]?.innerText >= 20",
                "byID('coordinators').tBodies[0].rows[0].cells[3].innerText")
            #expect(Int(name) ?? 0 >= 20)
        }
        await node.close()
        _ = try DashboardTests.wait(browser, until: "document.body.dataset.ended === 'ended'")
        #expect(browser.complaints == [])
    }
}
