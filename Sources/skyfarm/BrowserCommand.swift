import Console
import Foundation

/// A command that shows a page in a browser.
package struct BrowserCommand: Equatable, Sendable {
    /// The program and its arguments.
    package var words: [String]

    /// The commands for a page, the preferred one first: those of `BROWSER`, which are separated by colons and in which
    /// `%s` stands for the page, then the one of the desktop.
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

    /// Why a command has not shown a page.
    package enum Failure: Error, Equatable {
        /// There is no such program.
        case missing
        /// It cannot be started; the system's error.
        case notStarted(Int32)
        /// It ended with this status, which a shell would show.
        case ended(Int32)
    }

    /// Runs the command in this terminal, with no change of signals or streams, and waits for its end.
    package func run(_ environment: [String: String]) throws(Failure) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores it.
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
