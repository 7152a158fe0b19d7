package import CommandLineKit
import ScanBasics
import ScanNetwork

/// The first ambiguity among the nodes that options of a command name, which ends the command. Nodes become known while
/// the command runs.
package final class AmbiguousChoice: Sendable {
    private struct State {
        var error: CommandError?
        var end: (@Sendable () -> Void)?
    }
    private let state = Locked(State())

    package init() {}

    /// The error that ends the command, or nil if no word was ambiguous so far.
    package var error: CommandError? { state.withLock(\.error) }

    /// Throws the error, if there is one.
    package func check() throws(CommandError) {
        if let error { throw error }
    }

    /// Has `end` called once when there is an ambiguity.
    package func onAmbiguity(_ end: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { state in
            state.end = end
            return state.error != nil
        }
        if isKnown { end() }
    }

    /// Records the ambiguity because of which one of the nodes was not connected, if there is one.
    func report(_ states: [NodeState]) {
        for state in states {
            if case .failed(let error) = state.status, error.code == .ambiguous { report(error.message) }
        }
    }

    /// Records the ambiguity that `words` describe, unless there was one before.
    func report(_ words: String) {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.error == nil else { return nil }
            state.error = CommandError(.usage, words)
            return state.end
        }
        end?()
    }
}
