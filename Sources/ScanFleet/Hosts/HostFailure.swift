import Console
import Foundation
import ScanCluster

/// The failed step on a host, the reason, and what the user can do.
package struct HostFailure: Error, Equatable, Sendable {
    /// A step of starting or stopping a node.
    package enum Step: String, Sendable {
        /// Log in.
        case ssh
        /// Compare system and processor.
        case system
        /// Copy the program and the key.
        case copy
        /// Check that the program runs at all.
        case run
        case start
        /// Connect to the node.
        case join
        /// Stop the node and remove its files.
        case stop
    }

    package var step: Step
    /// Reason in one line; empty while unknown.
    package var reason: String

    package init(_ step: Step, _ reason: String) { (self.step, self.reason) = (step, reason) }

    /// Creates the failure of ssh itself, or of the shell that it ran.
    package init(ssh code: Int32, _ errors: String) {
        let line = Self.cause(errors)
        let words = line.hasPrefix("ssh: ") ? String(line.dropFirst(5)) : line
        self.init(.ssh, line.isEmpty ? "ssh ended with code \(code)" : words)
    }

    /// Creates the failure of a host that exceeded its time limit.
    package init(_ step: Step, late limit: Duration) {
        self.init(step, "no end within \(HumanFormat.duration(seconds: limit / .seconds(1)))")
    }

    /// Returns the failure with the cause from the host's standard error, if it has no reason yet.
    func adding(_ errors: String) -> HostFailure {
        guard reason.isEmpty else { return self }
        let line = Self.cause(errors)
        return HostFailure(step, line.isEmpty ? "no reason was given" : line)
    }

    /// Returns the line that states the cause: the last line, unless an earlier one has the system's error.
    private static func cause(_ errors: String) -> String {
        let lines = errors.split(whereSeparator: \.isNewline).map {
            String($0).printable.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty && !$0.hasPrefix("Warning:") }
        return lines.first { $0.contains("No space left") || $0.contains("quota") } ?? lines.last ?? ""
    }

    /// Returns the failure and the suggested remedy in one line.
    package func text(of host: String) -> String {
        switch step {
        case .ssh: "ssh: \(reason); check `ssh \(host) true`"
        case .system:
            "\(reason); install Skyfarm there from its package or wheel for that system, and run `skyfarm node`"
        case .copy: "cannot copy the program: \(reason)"
        case .run: "the program does not run there: \(reason); install Skyfarm there, and run `skyfarm node`"
        case .start: "the node has not started: \(reason)"
        case .join: "the node cannot be used: \(reason)"
        case .stop: "cannot stop the node: \(reason)"
        }
    }
}
