import Foundation
import Testing

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
        _ = try scene.write([], "gate")
        #expect(try program.finish().code == 23)
    }

    @Test("of calls counts them")
    func calls() throws {
        let source = "import os, time\ndef f(x):\n    while x == 3 and not os.path.exists(\"\(scene.path("gate"))\"):"
        _ = try scene.write(Array((source + " time.sleep(0.1)\n    return x\n").utf8), "m.py")
        let values = try scene.write(Array("1\n2\n3\n".utf8), "values")
        let program = try Program(
            ["call", "m.f", values, "--local-python", "m=\(scene.path("m.py")),/usr/bin/python3", "--local-slots", "1"]
                + ["--no-discovery", "--dashboard"], environment: mine.environment)
        let link = try DashboardTests.link(program)
        try metrics(link, until: "skyfarm_tasks_done_total{type=\"python.call/1\"} 2")
        _ = try scene.write([], "gate")
        #expect(try program.finish().code == 0)
    }
}
