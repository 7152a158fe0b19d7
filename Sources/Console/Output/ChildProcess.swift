package import CommandLineKit
package import Foundation
import ScanCluster

/// A child process with pipes to its standard streams. The pipes are closed when the object is released.
package final class ChildProcess: Sendable {
    /// Descriptors for reading its standard output and standard error; each for one reader.
    package let output: Int32
    package let errors: Int32
    private let process: pid_t
    private let state: Locked<State>

    private struct State {
        /// Descriptor of its standard input; nil once closed.
        var input: Int32?
        var hasEnded = false
    }

    /// Held from the creation of the pipes to that of the process: another process created in between would inherit
    /// them.
    private static let creation = Locked(())

    /// Starts the program at the path `words[0]` with this process's environment.
    /// - Throws: `CommandError` if it cannot be started.
    package init(_ words: [String]) throws(CommandError) {
        // The read and write ends of standard input, output and error.
        var pipes: [[Int32]] = []
        var process: pid_t = 0
        let failure = Self.creation.withLock { _ -> Int32 in
            for _ in 0..<3 {
                var ends: [Int32] = [-1, -1]
                if pipe(&ends) != 0 { return errno }
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                pipes.append(ends)
            }
            return Self.spawn(words, [pipes[0][0], pipes[1][1], pipes[2][1]], &process)
        }
        guard failure == 0 else {
            for end in pipes.joined() { close(end) }
            throw CommandError(.failure, "\(words[0]): cannot be started", errno: failure)
        }
        for end in [pipes[0][0], pipes[1][1], pipes[2][1]] { close(end) }
        (self.process, output, errors) = (process, pipes[1][0], pipes[2][0])
        state = Locked(State(input: pipes[0][1]))
    }

    deinit {
        closeInput()
        close(output)
        close(errors)
    }

    private static func spawn(_ words: [String], _ streams: [Int32], _ process: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (place, end) in streams.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(place)) }
        // The child must not inherit that this program ignores SIGPIPE and that Dispatch threads block signals.
        var (ignored, none) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        return SpawnedProcess.withStrings(words, ProcessInfo.processInfo.environment) { arguments, variables in
            posix_spawn(&process, words[0], &actions, &attributes, &arguments, &variables)
        }
    }

    /// Runs a program to its end. Uses its own threads, so that no thread of the caller is blocked.
    /// - Throws: `CommandError` if it cannot be started.
    package static func run(_ words: [String], input: Data = Data()) async throws -> Result {
        let process = try ChildProcess(words)
        return await withCheckedContinuation { continuation in
            let errors = Locked(Data())
            let reading = DispatchGroup()
            reading.enter()
            Thread.detachNewThread {
                let handle = FileHandle(fileDescriptor: process.errors)
                errors.withLock { $0 = handle.readDataToEndOfFile() }
                reading.leave()
            }
            Thread.detachNewThread {
                _ = process.write(input)
                process.closeInput()
                let output = FileHandle(fileDescriptor: process.output).readDataToEndOfFile()
                reading.wait()
                let code = process.wait()
                continuation.resume(
                    returning: Result(
                        code: code, output: String(decoding: output, as: UTF8.self),
                        errors: String(decoding: errors.withLock { $0 }, as: UTF8.self)))
            }
        }
    }

    /// Exit code and output of a program.
    package struct Result: Sendable {
        package var code: Int32
        package var output: String
        package var errors: String

        package init(code: Int32, output: String, errors: String) {
            self.code = code
            self.output = output
            self.errors = errors
        }
    }

    /// Writes to the standard input of the process. Blocks while the pipe is full.
    /// - Returns: whether all data were written.
    package func write(_ data: Data) -> Bool {
        guard let input = state.withLock({ $0.input }) else { return false }
        return data.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let count = Foundation.write(input, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                start += count
            }
            return true
        }
    }

    /// Closes the standard input of the process. Must not be called during ``write(_:)``.
    package func closeInput() {
        state.withLock { state in
            if let input = state.input { close(input) }
            state.input = nil
        }
    }

    /// Sends SIGTERM, unless the process has ended.
    package func end() {
        state.withLock { state in
            if !state.hasEnded { kill(process, SIGTERM) }
        }
    }

    /// Waits until the process has ended. Must be called only once.
    /// - Returns: the exit code, or 128 plus the number of the signal that ended it.
    package func wait() -> Int32 {
        var information = siginfo_t()
        // The process is not reaped before `hasEnded` is set, so that `end()` cannot signal another process with the
        // same number.
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { state in
            state.hasEnded = true
            return SpawnedProcess.wait(for: process)
        }
    }
}
