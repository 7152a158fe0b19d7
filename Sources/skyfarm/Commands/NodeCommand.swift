/// `skyfarm node`: offers this machine to the network.
struct NodeCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        throw CommandError(.failure, "node: not available in this build")
    }
}
