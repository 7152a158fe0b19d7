package import CommandLineKit

/// A subcommand of the program.
///
/// ``spec`` is the table from which the command line is parsed and the help and the manual page are generated. The
/// initialiser reads the options from the parsed arguments and checks them; ``run()`` does the work. The static
/// function ``run(_:_:_:)`` does both for a list of words, and writes an error as one line to standard error. Options
/// shared by several commands are in ``CommonOptions``, ``ClusterOptions`` and ``NodeOptions``.
package protocol Command: Sendable {
    static var spec: CommandSpec { get }

    /// Parses and checks the arguments. Has no side effects.
    init(_ arguments: Arguments) throws(UsageError)

    /// Runs the command. `CommandError(_:in:)` maps thrown errors to exit codes.
    func run() async throws -> ExitCode
}
