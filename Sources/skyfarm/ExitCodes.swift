import CommandLineKit

extension ExitCode {
    /// The local system is excluded and no node can be used.
    static let noUsableNode = ExitCode(3, "no usable node, with the local system excluded")
    /// The key cannot be used, or a node that was named refuses it and no other can be used.
    static let authentication = ExitCode(4, "a node holds another cluster key, or the key cannot be used")
    static let input = ExitCode(5, "an input cannot be read")
    static let output = ExitCode(6, "an output cannot be written")
    /// A catalogue was written, with sectors missing.
    static let partialCatalogue = ExitCode(23, "the catalogue is written, but sectors are missing")
    static let interrupted = ExitCode(130, "stopped by Ctrl-C")
    static let terminated = ExitCode(143, "stopped by SIGTERM or SIGHUP")

    static let all = [
        complete, failure, usage, noUsableNode, authentication, input, output, partialCatalogue, interrupted,
        terminated,
    ]
}
