import Foundation

/// A program started by `posix_spawn`, whose output is read by lines; Foundation's `Process` would take longer than a
/// short program. It ends with this object.
final class StartedProgram {
    /// The time of its start.
    let start: ContinuousClock.Instant
    private let process: pid_t
    private let output: UnsafeMutablePointer<FILE>
    private var hasEnded = false

    /// Starts the program at `path` with additional environment variables. `stream`, its standard output or error, is
    /// captured.
    /// - Throws: ``BenchmarkError`` if it cannot be started.
    init(_ path: String, _ arguments: [String], reading stream: Int32, environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, let output = fdopen(ends[0], "r") else { throw BenchmarkError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        start = .now
        defer { close(ends[1]) }
        do {
            process = try Self.spawn(path, arguments, environment: environment) { actions in
                for descriptor: Int32 in 0...2 where descriptor != stream {
                    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
                }
                posix_spawn_file_actions_adddup2(&actions, ends[1], stream)
            }
        } catch {
            fclose(output)
            throw error
        }
        self.output = output
    }

    #if canImport(Glibc)
        typealias FileActions = posix_spawn_file_actions_t
        private typealias Attributes = posix_spawnattr_t
    #else
        typealias FileActions = posix_spawn_file_actions_t?
        private typealias Attributes = posix_spawnattr_t?
    #endif

    /// Starts a program, with additional environment variables. `redirect` adds to the process's file actions.
    /// - Returns: its process ID.
    /// - Throws: ``BenchmarkError`` if it cannot be started.
    static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        redirect: (inout FileActions) -> Void = { _ in }
    ) throws -> pid_t {
        #if canImport(Glibc)
            var (actions, attributes) = (FileActions(), Attributes())
        #else
            var (actions, attributes) = (FileActions.none, Attributes.none)
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        redirect(&actions)
        // Threads of Swift's pool block signals, and a child inherits the mask.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var process = pid_t()
        let failure = withCStrings([path] + arguments) { arguments in
            withCStrings(variables) { posix_spawn(&process, path, &actions, &attributes, arguments, $0) }
        }
        guard failure == 0 else {
            throw BenchmarkError("\(path) cannot be started: \(String(cString: strerror(failure)))")
        }
        return process
    }

    deinit {
        if !hasEnded {
            kill(process, SIGTERM)
            waitpid(process, nil, 0)
        }
        fclose(output)
    }

    /// Waits for the next line that contains `text`.
    /// - Returns: the line, and the seconds since the start; nil if the program ends before.
    func line(with text: String) -> (line: String, seconds: Double)? {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, output) > 0, let bytes = line {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let line = String(cString: bytes)
            if line.contains(text) { return (line, seconds) }
        }
        return nil
    }

    /// Waits for the program's end.
    /// - Returns: the seconds since the start.
    /// - Throws: ``BenchmarkError`` if its exit status is not 0.
    func finish() throws -> Double {
        while line(with: "\n") != nil {}
        var status: Int32 = 0
        waitpid(process, &status, 0)
        hasEnded = true
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard status == 0 else { throw BenchmarkError("a program failed with status \(status)") }
        return seconds
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the list ends with nil") }
            return body(start)
        }
    }
}
