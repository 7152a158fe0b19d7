public import Foundation
public import ScanBasics
public import ScanCluster
public import ScanNetwork
public import ScanSockets

/// Runs the body of a program. If it throws, the error is printed on standard error, in one line after the program's name,
/// and the process exits with 1.
///
/// ```swift
/// @main struct Primes {
///     static func main() async {
///         await runProgram("primes") { try await count() }
///     }
/// }
/// ```
public func runProgram(_ name: String, _ body: () async throws -> Void) async {
    do {
        try await body()
    } catch {
        fflush(nil)
        // Without `FileHandle`, which links all of Foundation and its tables into a static program.
        Array("\(name): \(oneLine(error))\n".utf8).withUnsafeBytes { _ = writeAll($0, to: STDERR_FILENO) }
        exit(1)
    }
}

/// An error in one line.
package func oneLine(_ error: any Error) -> String {
    let words = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    return words.split(whereSeparator: \.isNewline).joined(separator: " ")
}

// Errors of the library say the same in `localizedDescription`.

extension ScanError: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}

extension TaskFailure: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}

extension MissingBulk: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}

extension ConnectError: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}

extension AddressError: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}

extension SocketError: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}

extension CodedError: LocalizedError {
    /// The cause, in one line.
    public var errorDescription: String? { description }
}
