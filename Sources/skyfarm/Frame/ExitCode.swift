/// What the process tells its caller.
enum ExitCode: Int32, CaseIterable, Sendable {
    case complete = 0
    case failure = 1
    case usage = 2
    /// The local system is excluded and no node can be used.
    case noUsableNode = 3
    /// The key cannot be used, or a node that was named refuses it and no other can be used.
    case authentication = 4
    case input = 5
    case output = 6
    /// A catalogue was written, with sectors missing.
    case partialCatalogue = 23
    case interrupted = 130
    case terminated = 143

    /// Meaning in words, for the manual.
    var meaning: String {
        switch self {
        case .complete: "complete"
        case .failure: "failure"
        case .usage: "wrong flags or arguments"
        case .noUsableNode: "no usable node, with the local system excluded"
        case .authentication: "a node holds another cluster key, or the key cannot be used"
        case .input: "an input cannot be read"
        case .output: "an output cannot be written"
        case .partialCatalogue: "the catalogue is written, but sectors are missing"
        case .interrupted: "stopped by Ctrl-C"
        case .terminated: "stopped by SIGTERM or SIGHUP"
        }
    }
}

/// A command that cannot do what it was asked: one line for the user, and the exit code that says which kind it is.
struct CommandError: Error, Equatable, CustomStringConvertible {
    var code: ExitCode
    var description: String

    init(_ code: ExitCode, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// Flags, arguments or settings that cannot be understood; exit code 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
