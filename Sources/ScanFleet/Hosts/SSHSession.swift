import CommandLineKit
import Console
import Foundation
import ScanCluster

/// A process of `ssh`, with the user's configuration and agent, in which a shell of the host runs a script.
final class SSHSession: Sendable {
    /// Yields the lines that the host writes, then the end of the session.
    let events: AsyncStream<HostStart.Event>
    private let continuation: AsyncStream<HostStart.Event>.Continuation
    private let process: ChildProcess
    private let writing = DispatchQueue(label: "skyfarm.ssh.input")

    /// Settings of the login.
    package struct Options: Equatable, Sendable {
        /// Path of the ssh program.
        var program: String
        /// Time limit for the connection, in seconds.
        var connectSeconds: Int

        /// Returns the arguments of ssh. No question is asked, and a host that stops responding is detected.
        func words(for host: String) -> [String] {
            [
                "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=\(connectSeconds)", "-o", "ServerAliveInterval=5",
                "-o", "ServerAliveCountMax=3", "--", host, "exec sh",
            ]
        }
    }

    /// Logs in and sends the script.
    /// - Throws: `CommandError` if ssh cannot be started.
    package init(_ host: String, script: String, _ options: Options) throws(CommandError) {
        process = try ChildProcess([options.program] + options.words(for: host))
        (events, continuation) = AsyncStream.makeStream(of: HostStart.Event.self)
        read()
        send([Data(script.utf8)])
    }

    /// Sends these parts in order on a separate queue. Write errors are ignored, since a host that does not read has
    /// ended or reports the reason. If `isLast` is true, the input is closed afterwards.
    func send(_ parts: [Data], isLast: Bool = false) {
        writing.async { [process] in
            for part in parts where !process.write(part) { break }
            if isLast { process.closeInput() }
        }
    }

    /// Reports that the time limit of the host has passed.
    func expire(after limit: Duration) { continuation.yield(.late(limit)) }

    /// Ends ssh if it is still running.
    func end() {
        process.end()
        writing.async { [process] in process.closeInput() }
    }

    /// Reads both streams to their ends on separate threads, and waits for the process.
    private func read() {
        let message = Locked("")
        let reading = DispatchGroup()
        reading.enter()
        Thread.detachNewThread { [process] in
            Self.eachLine(of: process.errors) { line in
                message.withLock { $0 = String(($0 + line + "\n").suffix(4096)) }
            }
            reading.leave()
        }
        Thread.detachNewThread { [process, continuation] in
            Self.eachLine(of: process.output) { continuation.yield(.line($0)) }
            let code = process.wait()
            // Standard error may stay open in a connection that ssh shares.
            _ = reading.wait(timeout: .now() + 1)
            continuation.yield(.ended(code: code, errors: message.withLock { $0 }))
            continuation.finish()
        }
    }

    /// Maximum length of a line, in bytes.
    private static let longestLine = 1 << 16

    private static func eachLine(of descriptor: Int32, _ body: (String) -> Void) {
        var rest = Data()
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest.append(contentsOf: bytes[..<count])
            while let end = rest.firstIndex(of: 10) {
                body(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
            if rest.count > longestLine { rest.removeAll() }
        }
        if !rest.isEmpty { body(String(decoding: rest, as: UTF8.self)) }
    }
}
