package import CommandLineKit
import Foundation
import ScanBasics
import ScanCluster
import ScanNetwork
import ScanSecurity
import SkyFITS
import SkyReport
import SkyScan
import TaskJournal

extension ExitCode {
    /// The local system is excluded and no node is usable.
    package static let noUsableNode = ExitCode(3, "no usable node, with the local system excluded")
    /// The key cannot be used, or no node is usable because a node given by name, or every known node, does not hold
    /// it.
    package static let authentication = ExitCode(4, "a node holds another cluster key, or the key cannot be used")
    package static let input = ExitCode(5, "an input cannot be read")
    package static let output = ExitCode(6, "an output cannot be written")
    /// The catalogue was written, but sectors are missing; or some of several hosts or files failed.
    package static let partialCatalogue = ExitCode(
        23,
        "the catalogue is written, but sectors are missing; with up, down, spread, map and calibrate, some hosts, files or"
            + " items failed")
    package static let interrupted = ExitCode(130, "stopped by Ctrl-C")
    /// The exit status of a process that was terminated by SIGPIPE.
    package static let brokenPipe = ExitCode(141, "the reader of standard output has closed it, as in \"| head\"")
    package static let terminated = ExitCode(143, "stopped by SIGTERM or SIGHUP")

    package static let all = [
        complete, failure, usage, noUsableNode, authentication, input, output, partialCatalogue, interrupted,
        brokenPipe, terminated,
    ]
}

extension CommandError {
    /// Converts an error that ends a command to an exit code and a message of one line.
    package init(_ error: any Error, in command: String) {
        let text = String(describing: error)
        switch error {
        case let error as CommandError: self = error
        case is UsageError: self.init(.usage, text)
        case is KeyError: self.init(.authentication, text)
        case is ImageError, is ScanSetupError: self.init(.input, text)
        case let error as OutputError where error.code == .brokenPipe: self.init(.brokenPipe, text)
        case is OutputError: self.init(.output, text)
        case let error as JournalError:
            self.init([.noSpace, .unwritable, .damaged].contains(error.code) ? .output : .failure, text)
        case let error as ScanError:
            switch error.code {
            case .bulkUnreadable: self.init(.input, error.message)
            case .noSystem: self.init(.noUsableNode, "\(command): \(text)")
            default: self.init(.failure, text)
            }
        case let error as ConnectError where error.code == .authentication:
            self.init(.authentication, "\(command): \(text)")
        case is TaskFailure: self.init(.failure, "\(command): \(text); run it again")
        default: self.init(.failure, text)
        }
    }

    /// Creates the error of a failed system call.
    package init(_ code: ExitCode, _ subject: String, errno: Int32, remedy: String = "") {
        self.init(code, "\(subject): \(String(cString: strerror(errno)).lowercased())\(remedy)")
    }
}

/// Runs `body`, and rethrows its error as an error about `subject` with this exit code.
package func failing<Value>(
    _ code: ExitCode, about subject: String, _ body: () throws -> Value
) throws(CommandError) -> Value {
    do {
        return try body()
    } catch {
        throw CommandError(code, "\(subject): \(error)")
    }
}

/// Reads and parses a text file.
package func readText<Value>(_ path: String, _ parse: (String) throws -> Value) throws(CommandError) -> Value {
    let data: Data
    do {
        data = try ReadableFiles.current.contents(of: path)
    } catch {
        throw CommandError(.input, error.description)
    }
    return try failing(.input, about: path) { try parse(String(decoding: data, as: UTF8.self)) }
}
