import CommandLineKit

/// A subcommand: its table, and what it does with what was given.
protocol Command: Sendable {
    static var spec: CommandSpec { get }

    /// Reads and checks what was given, without doing anything yet.
    init(_ arguments: Arguments) throws(UsageError)

    /// Does the work. Throws ``CommandError`` where the exit code is not 1.
    func run() async throws -> ExitCode
}
