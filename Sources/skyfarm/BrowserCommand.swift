import Console
import Foundation

/// A command that opens a page in a browser.
package struct BrowserCommand: Equatable, Sendable {
    /// The program and its arguments.
    package var words: [String]

    /// Returns the commands for a page in order of preference: those of `BROWSER`, which are separated by colons and in
    /// which `%s` stands for the page, then the command of the desktop.
    package static func all(for page: String, _ environment: [String: String]) -> [BrowserCommand] {
        let named = (environment["BROWSER"] ?? "").split(separator: ":").compactMap { text -> BrowserCommand? in
            let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
            if words.isEmpty { return nil }
            let hasPlace = words.contains { $0.contains("%s") }
            return BrowserCommand(words: words.map { $0.replacing("%s", with: page) } + (hasPlace ? [] : [page]))
        }
        #if os(macOS)
            let desktop = "open"
        #else
            let desktop = "xdg-open"
        #endif
        return named + [BrowserCommand(words: [desktop, page])]
    }

    /// The reason why a command did not open the page.
    package enum Failure: Error, Equatable {
        /// The program does not exist.
        case missing
        /// The program cannot be started, with the error number of the system.
        case notStarted(Int32)
        /// The program exited with this status, as a shell would report it.
        case ended(Int32)
    }

    /// Runs the command in this terminal without changes of signals or streams, and waits until it exits.
    package func run(_ environment: [String: String]) throws(Failure) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores SIGPIPE, but the browser must not inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var process: pid_t = 0
        let failure = SpawnedProcess.withStrings(words, environment) { arguments, variables in
            posix_spawnp(&process, words[0], nil, &attributes, &arguments, &variables)
        }
        if failure == ENOENT { throw .missing }
        if failure != 0 { throw .notStarted(failure) }
        let code = SpawnedProcess.wait(for: process)
        if code != 0 { throw .ended(code) }
    }
}
