import CommandLineKit
import Console
import Foundation
import ScanCluster

/// A session of the program `ssh`, with the user's configuration and agent, in which a shell of the host runs a script.
final class SSHSession: Sendable {
    /// The lines that the host writes, then the end.
    let events: AsyncStream<HostStart.Event>
    private let continuation: AsyncStream<HostStart.Event>.Continuation
    private let process: ChildProcess
    private let writing = DispatchQueue(label: "skyfarm.ssh.input")

    /// How to log in.
    package struct Options: Equatable, Sendable {
        /// Path of the program.
        var program: String
        /// Time for the connection, in seconds.
        var connectSeconds: Int

        /// The options of ssh: no question is asked, and a host that no longer answers is noticed.
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

    /// Sends these parts, one after the other, on a thread of its own; a host that does not take them has ended, or
    /// says why. `isLast`: nothing follows.
    func send(_ parts: [Data], isLast: Bool = false) {
        writing.async { [process] in
            for part in parts where !process.write(part) { break }
            if isLast { process.closeInput() }
        }
    }

    /// Reports that the host has had its time.
    func expire(after limit: Duration) { continuation.yield(.late(limit)) }

    /// Ends ssh, if it still runs.
    func end() {
        process.end()
        writing.async { [process] in process.closeInput() }
    }

    /// Reads both streams to their ends, on threads of their own, and waits for the process.
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
            // A connection that ssh shares may keep standard error open.
            _ = reading.wait(timeout: .now() + 1)
            continuation.yield(.ended(code: code, errors: message.withLock { $0 }))
            continuation.finish()
        }
    }

    /// Longest line of a host that is read.
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
