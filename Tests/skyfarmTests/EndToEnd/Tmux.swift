import Foundation
import Testing

@testable import skyfarm

/// A terminal with a program in it, in a tmux of its own; it ends with this object.
final class Tmux {
    static let path = Tool.path("tmux")
    static let absent = "needs tmux (Debian: tmux)"

    private let tmux: String
    private let socket = "skyfarm-\(UUID().uuidString)"

    /// Opens a terminal and runs a command of the shell in it; what is on the screen stays when it ends.
    init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:], _ command: String) throws {
        tmux = try #require(Self.path)
        let variables = environment.flatMap { ["-e", "\($0.key)=\($0.value)"] }
        try run(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + variables
                + ["-n", "test", "sh", "-c", "stty -echoctl; \(command)", ";", "set", "-g", "remain-on-exit", "on"],
            environment: environment)
    }

    deinit { _ = try? run(["kill-server"]) }

    @discardableResult
    private func run(_ words: [String], environment: [String: String] = [:]) throws -> String {
        let result = try Program.run(path: tmux, ["-L", socket] + words, environment: environment)
        guard result.code == 0 else { throw Program.Failure(description: "tmux \(words): \(result.errors)") }
        return result.output
    }

    /// The lines on the screen, and what has scrolled out of it, without blanks at their ends.
    func lines(withEscapes: Bool = false) throws -> [String] {
        try run(["capture-pane", "-p", "-S", "-"] + (withEscapes ? ["-e"] : []))
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

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

    /// Waits until the program has ended.
    func waitForEnd() throws -> [String] {
        try wait("the end of the program") { $0.contains { $0.hasPrefix("Pane is dead") } }
            .filter { !$0.hasPrefix("Pane is dead") }
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
