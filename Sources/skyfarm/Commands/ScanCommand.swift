/// `skyfarm scan`: finds the sources of an image and writes their catalogue.
struct ScanCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        throw CommandError(.failure, "scan: not available in this build")
    }
}
