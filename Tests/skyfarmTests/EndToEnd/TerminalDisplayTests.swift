import CommandLineKit
import Foundation
import Testing

/// The display of a scan in a terminal.
@Suite(
    "scan in a terminal", .serialized, .enabled(if: Tmux.path != nil, Comment(rawValue: Tmux.absent)))
struct TerminalDisplayTests {
    private static let joined = "skyfarm: node alpha joined, 1 slot"

    private let scene: Scene
    private let node: Node
    private let sky: String

    init() throws {
        scene = try Scene()
        node = try Node("alpha")
        sky = try scene.sky(size: "5000")
    }

    /// A scan with the node that takes some seconds, as a command of the shell.
    private func scan(_ further: String = "") -> String {
        "'\(Program.path)' scan '\(sky)' --no-discovery --node \(node.address) --local-slots 1"
            + " --no-journal --band 128 -o '\(scene.path("out/sources.csv"))' \(further)"
    }

    private func isBar(_ line: String) -> Bool { line.contains(/^[a-z-]+ \[[#-]+\] +[0-9]+ %/) }

    private func isSystem(_ line: String) -> Bool {
        let tasks = #/  [0-9]+ running, [0-9]+ scheduled, [0-9]+ done(, [0-9.]+/s)?$/#
        return line.replacing(tasks, with: "").contains(/^  (alpha|local)  1 slot +([0-9.]+ [kM]?pix\/s|-)$/)
    }

    /// Whether the display is there once, whole, with nothing beside it but lines of the log.
    private func isWhole(_ lines: [String]) -> Bool {
        guard let bar = lines.firstIndex(where: isBar), lines.count(where: isBar) == 1 else { return false }
        let below = lines[(bar + 1)...].filter { !$0.isEmpty }
        return below.count { isSystem($0) } == 2 && below.allSatisfy { $0.hasPrefix("  ") }
            && !lines[..<bar].contains { isSystem($0) }
    }

    /// Checks that nothing is left of the display, and that the terminal's settings are restored.
    /// - Returns: the last lines, below those of the log.
    private func end(of terminal: Tmux, code: Int) throws -> [String] {
        let (found, lines) = try terminal.waitForEnd()
        #expect(found == "\(code)")
        #expect(!lines.contains { isBar($0) || isSystem($0) || $0.contains("^C") }, "\(lines)")
        #expect(lines.first == Self.joined)
        for flag in ["cursor_flag", "wrap_flag"] { #expect(try terminal.value(flag) == "1") }
        #expect(try terminal.value("cursor_x") == "0")
        return Array(lines.drop { $0.hasPrefix("skyfarm: ") && !$0.hasPrefix("skyfarm: scan: ") })
    }

    /// A terminal that shows the display of a scan, or of a `command` with one.
    private func shown(_ command: String? = nil) throws -> Tmux {
        // Beside other load a scan may end before the terminal is looked at.
        for _ in 1...5 {
            let terminal = try Tmux(rows: 16, command ?? scan())
            let lines = try terminal.wait("the display") { lines in
                isWhole(lines) || lines.contains { $0.hasPrefix("end ") }
            }
            if isWhole(lines) { return terminal }
            unlink(scene.path("out/sources.csv"))
        }
        throw Program.Failure(description: "five scans ended before their display was seen")
    }

    private func isSummary(_ line: String?) -> Bool { line?.contains(#/^[0-9]+ of [0-9]+ tasks in /#) == true }

    @Test(
        "the display fits, follows the window when that is resized, and leaves nothing but what it came to",
        arguments: [(80, 40), (40, 80)])
    func display(columns: Int, later: Int) throws {
        let terminal = try Tmux(columns: columns, rows: 16, scan())
        // tmux breaks lines that are too long for the narrower window in two, and counts the empty lines below: it moves
        // the first line into its history, which must be the one of the log and not the first half of the display.
        try terminal.wait("the display") {
            isWhole($0) && $0.contains { $0.contains("pix/s") } && $0.first == Self.joined
        }
        try terminal.resize(columns: later)
        try terminal.wait("the display in the other window") { lines in
            isWhole(lines) && lines.allSatisfy { $0.count <= later }
                && lines.contains { isBar($0) && (later == 40) == !$0.contains("pix/s") }
        }
        let lines = try end(of: terminal, code: 0)
        #expect(lines.count == 2 && isSummary(lines.first), "\(lines)")
        let last = try #require(lines.last)
        // The node is on this machine: how fast that is alone is unknown. Often nothing takes half of the slots' time, and
        // beside other load the node may have no task.
        let parts = last.split(separator: "; ", maxSplits: 1)
        #expect(parts[0].contains(#/sky.fits: [0-9]+ sources in [0-9.]+ s, written to .*/sources.csv$/#), "\(last)")
        let limit = #/^limited by [A-Za-z ]+: [a-z ]+ [0-9]+ % of the time$/#
        let alone = "on this machine alone, which was done before the node could have the pixels"
        #expect(parts.dropFirst().allSatisfy { $0.contains(limit) || $0.hasPrefix(alone) }, "\(last)")
    }

    @Test("Ctrl-C leaves the log, how far it came, and how to go on")
    func interrupt() throws {
        let terminal = try shown()
        try terminal.press("C-c")
        let lines = try end(of: terminal, code: 130)
        #expect(lines.count == 2 && isSummary(lines.first), "\(lines)")
        #expect(lines.last == "skyfarm: scan: stopped; no catalogue was written; run the command again to start over")
    }

    @Test("Ctrl-C twice ends at once and leaves no half line")
    func twice() throws {
        let terminal = try shown()
        try terminal.press("C-c", "C-c")
        #expect(isSummary(try end(of: terminal, code: 130).first))
    }

    @Test("SIGTERM restores the terminal, too")
    func terminate() throws {
        let file = scene.path("process")
        let terminal = try shown("sh -c 'echo $$ > \(file); exec \(scan().split(separator: "'").joined())'")
        let text = String(decoding: try scene.bytes("process"), as: UTF8.self)
        kill(try #require(pid_t(text.trimmingCharacters(in: .newlines))), SIGTERM)
        let lines = try end(of: terminal, code: 143)
        #expect(lines.count == 2 && isSummary(lines.first), "\(lines)")
    }

    @Test("a node that is lost is reported in a line above the display, which goes on below it")
    func fault() throws {
        let terminal = try shown()
        node.program.send(SIGKILL)
        try terminal.wait("the fault") { lines in
            guard let bar = lines.firstIndex(where: isBar) else { return false }
            return lines[..<bar].contains("skyfarm: node alpha left; its tasks are reassigned")
        }
        #expect(try end(of: terminal, code: 0).count == 2)
    }

    /// Every byte that a scan writes to its terminal.
    private func bytes(of command: String, environment: [String: String]) throws -> String {
        let terminal = try Tmux(columns: 80, rows: 16, environment: environment, "read line; \(command)")
        try terminal.record(to: scene.path("bytes"))
        try terminal.press("Enter")
        _ = try terminal.waitForEnd()
        let bytes = String(decoding: try scene.bytes("bytes"), as: UTF8.self)
        #expect(bytes.contains("sources in "))
        return bytes
    }

    @Test("a terminal without escape sequences gets none, and NO_COLOR no colour")
    func abilities() throws {
        let command = scan("--overwrite")
        let plain = try bytes(of: "TERM=dumb \(command)", environment: ["NO_COLOR": ""])
        #expect(plain.contains("node alpha joined") && !plain.contains("\u{1b}"))
        let color = #/\u{1b}\[[0-9;]*m/#
        let gray = try bytes(of: command, environment: ["NO_COLOR": "1"])
        #expect(gray.contains("\u{1b}[?7l") && !gray.contains(color))
        #expect(try bytes(of: command, environment: ["NO_COLOR": ""]).contains(color))
        #expect(!(try bytes(of: command + " --color never", environment: ["NO_COLOR": ""]).contains(color)))
    }

    @Test("a pipe and a file get no escape, in plain lines; a file not even where colour is asked for")
    func elsewhere() throws {
        let words = [
            "scan", sky, "--node", node.address, "--no-journal", "--overwrite", "-o",
            scene.path("out/o.csv"),
        ]
        let piped = try Program.run(words, environment: ["TERM": "xterm"])
        #expect(piped.code == 0 && piped.errors.contains("tasks in ") && !piped.errors.contains("\u{1b}"))
        let asked = try Program.run(words + ["--color", "always"], environment: ["TERM": "xterm"])
        #expect(asked.errors.contains("\u{1b}[1m"))
        let command = ([Program.path] + words + ["--color", "always"]).map(quotedForShell).joined(separator: " ")
        let terminal = try Tmux("\(command) 2> '\(scene.path("errors"))'")
        _ = try terminal.waitForEnd()
        let written = try scene.bytes("errors")
        #expect(!written.isEmpty && !written.contains(0x1b))
    }
}
