package import CommandLineKit

/// A subcommand.
package protocol Command: Sendable {
    static var spec: CommandSpec { get }

    /// Parses and checks the arguments; has no effect.
    init(_ arguments: Arguments) throws(UsageError)

    /// Runs the command. `CommandError(_:in:)` has the exit codes of errors.
    func run() async throws -> ExitCode
}
