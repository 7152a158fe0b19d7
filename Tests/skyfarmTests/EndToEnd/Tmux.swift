import Foundation
import Testing

import ImageJobs

/// A terminal with a program in it, in a tmux of its own; it ends with this object.
final class Tmux {
    static let path = Tool.path("tmux")
    static let absent = "needs tmux (Debian: tmux)"

    private let tmux: String
    private let socket = "skyfarm-\(UUID().uuidString)"

    /// Opens a terminal and runs a command of the shell in it. The terminal stays when that ends.
    init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:], _ command: String) throws {
        tmux = try #require(Self.path)
        let variables = environment.flatMap { ["-e", "\($0.key)=\($0.value)"] }
        try run(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + variables
                + ["sh", "-c", "trap : INT; \(command); echo end $?; exec sleep 1000"],
            environment: environment)
    }

    deinit { _ = try? run(["kill-server"]) }

    @discardableResult
    private func run(_ words: [String], environment: [String: String] = [:]) throws -> String {
        let result = try Program.run(path: tmux, ["-L", socket] + words, environment: environment)
        guard result.code == 0 else { throw Program.Failure(description: "tmux \(words): \(result.errors)") }
        return result.output
    }

    /// The lines on the screen, and what has scrolled out of it, without blanks at their ends; with `joining`, those
    /// that the terminal broke in one.
    func lines(joining: Bool = false) throws -> [String] {
        try run(["capture-pane", "-p", "-S", "-"] + (joining ? ["-J"] : []))
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }

    /// Writes every byte that the program writes to a file as well, from now on.
    func record(to path: String) throws { try run(["pipe-pane", "cat > '\(path)'"]) }

    /// What tmux knows by that name, such as `cursor_flag`.
    func value(_ name: String) throws -> String {
        try run(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .newlines)
    }

    /// Presses keys, in tmux's names.
    func press(_ keys: String...) throws { try run(["send-keys"] + keys) }

    /// Types text.
    func type(_ text: String) throws { try run(["send-keys", "-l", text]) }

    func resize(columns: Int) throws { try run(["resize-window", "-x", "\(columns)"]) }

    /// Waits until the screen is so.
    /// - Returns: its lines.
    @discardableResult
    func wait(_ words: String, until condition: ([String]) -> Bool) throws -> [String] {
        let end = ContinuousClock.now + Program.limit
        while true {
            let lines = try lines()
            if condition(lines) { return lines }
            guard ContinuousClock.now < end else {
                throw Program.Failure(
                    description: "\(words): not within \(Program.limit), but\n\(lines.joined(separator: "\n"))")
            }
            poll(nil, 0, 20)
        }
    }

    /// Waits until the command has ended.
    /// - Returns: its exit code, and what it left on the screen, as lines that are not empty.
    func waitForEnd() throws -> (code: String, lines: [String]) {
        try wait("the end of the program") { $0.contains { $0.hasPrefix("end ") } }
        let lines = try lines(joining: true).filter { !$0.isEmpty }
        return (String(lines.last?.dropFirst(4) ?? ""), Array(lines.dropLast()))
    }
}

/// Programs of the system that tests need.
enum Tool {
    /// Where a program is, if it is installed.
    static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }
}
