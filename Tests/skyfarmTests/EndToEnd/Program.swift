import Foundation
import Testing

import ImageJobs

/// A process of the built program, as a user starts it. It never outlives the object.
final class Program {
    let process: pid_t
    private(set) var output = ""
    private(set) var errors = ""
    private var outputPipe: Int32
    private var errorPipe: Int32
    private var status: Int32?

    /// Where the standard output goes.
    enum Output {
        case pipe, closed
        case file(String)
    }

    /// What a process left.
    struct Result {
        /// The exit code, or minus the number of the signal that ended it.
        var code: Int32
        var output: String
        var errors: String

        /// Lines on standard error.
        var errorLines: [Substring] { errors.split(separator: "\n") }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The command.
    static let path = built("skyfarm")

    /// Where a program of this package is: in the folder `SKYFARM_TEST_PROGRAMS`, or where the tests were built.
    static func built(_ name: String) -> String {
        let folder = ProcessInfo.processInfo.environment["SKYFARM_TEST_PROGRAMS"].map { URL(fileURLWithPath: $0) }
        return (folder ?? Bundle.main.bundleURL).appendingPathComponent(name).path
    }

    /// Longest time that anything may take; only a fault reaches it.
    static let limit = Duration.seconds(120)

    /// How many times longer all may take, as under a sanitizer.
    private static let patience = ProcessInfo.processInfo.environment["SKYFARM_TEST_PATIENCE"].flatMap(Double.init) ?? 1

    /// Starts `skyfarm` with these words, behind `prefix`, which may name another program that runs it; or the program
    /// at another path.
    init(
        path: String = Program.path, _ words: [String], prefix: [String] = [], output: Output = .pipe,
        environment: [String: String] = [:]
    ) throws {
        let all = prefix + [path] + words
        (outputPipe, errorPipe) = (-1, -1)
        // Another process that is started meanwhile must not inherit the pipes.
        Self.starting.lock()
        defer { Self.starting.unlock() }
        let (outputEnds, errorEnds) = (try Self.makePipe(), try Self.makePipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errorEnds[1], 2)
        switch output {
        case .pipe: posix_spawn_file_actions_adddup2(&actions, outputEnds[1], 1)
        case .closed: posix_spawn_file_actions_addclose(&actions, 1)
        case .file(let path): posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What the tests ignore or block, the program must not inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = 0
        let failure = Self.withStrings(all) { arguments in
            Self.withStrings(Self.variables(environment)) { variables in
                posix_spawnp(&process, all[0], &actions, &attributes, arguments, variables)
            }
        }
        close(outputEnds[1])
        close(errorEnds[1])
        self.process = process
        (outputPipe, errorPipe) = (outputEnds[0], errorEnds[0])
        guard failure == 0 else {
            status = 0
            throw Failure(description: "\(all[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        if outputPipe >= 0 { close(outputPipe) }
        if errorPipe >= 0 { close(errorPipe) }
    }

    /// Runs `skyfarm`, or the program at another path, to its end.
    static func run(
        path: String = Program.path, _ words: [String], prefix: [String] = [], output: Output = .pipe,
        environment: [String: String] = [:]
    ) throws -> Result {
        try Program(path: path, words, prefix: prefix, output: output, environment: environment).finish()
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process, signal) }

    /// Whether the process has ended.
    var hasEnded: Bool {
        var information = siginfo_t()
        return status != nil
            || waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0
                && information.si_signo == SIGCHLD
    }

    /// Waits until the process has ended.
    func finish(within limit: Duration = limit) throws -> Result {
        guard try read(until: { false }, within: limit) else {
            throw Failure(description: "does not end within \(limit); so far: \(output.prefix(500))\(errors)")
        }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        self.status = status
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
        return Result(code: code, output: output, errors: errors)
    }

    /// Waits until standard error holds `text`.
    func waitForErrors(_ text: String) throws {
        try wait("\(text) on standard error") { errors.contains(text) }
    }

    /// Waits until `condition` holds for standard error, or the process has ended.
    func wait(_ words: String, until condition: (String) -> Bool) throws {
        guard try read(until: { condition(errors) }, within: Self.limit) else {
            throw Failure(description: "\(words): not within \(Self.limit); but \(output)\(errors)")
        }
    }

    /// Waits for the first line on standard output.
    func firstLine() throws -> String {
        try wait("a line on standard output") { output.contains("\n") }
        return String(output.prefix { $0 != "\n" })
    }

    private static let starting = NSLock()

    private static func makePipe() throws -> [Int32] {
        var ends = [Int32](repeating: -1, count: 2)
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private func wait(_ words: String, until condition: () -> Bool) throws {
        _ = try read(until: condition, within: Self.limit)
        guard condition() else { throw Failure(description: "\(words) does not come; but \(output)\(errors)") }
    }

    /// Gathers what the process writes; false if the time is up before both streams end or the condition holds.
    private func read(until condition: () -> Bool, within limit: Duration) throws -> Bool {
        let end = ContinuousClock.now + limit * Self.patience
        while (outputPipe >= 0 || errorPipe >= 0) && !condition() {
            var polls = [outputPipe, errorPipe].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = (end - .now) / .milliseconds(1)
            guard left > 0, poll(&polls, 2, Int32(left) + 1) > 0 else { return false }
            if polls[0].revents != 0 { Self.take(from: &outputPipe, into: &output) }
            if polls[1].revents != 0 { Self.take(from: &errorPipe, into: &errors) }
        }
        return true
    }

    private static func take(from descriptor: inout Int32, into text: inout String) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        if count > 0 {
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        } else {
            close(descriptor)
            descriptor = -1
        }
    }

    /// The folder of settings, and of the cluster key, that the program uses unless told otherwise.
    static let configuration = NSTemporaryDirectory() + "skyfarm-tests-config-\(getuid())"

    /// The environment without settings of Skyfarm, which a developer may have.
    private static func variables(_ further: [String: String]) -> [String] {
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SKYFARM_") }
        // Nor do the tests use, or serve, whoever is on the network.
        variables["SKYFARM_NO_DISCOVERY"] = "1"
        variables["SKYFARM_NO_ADVERTISE"] = "1"
        // Nor have they the developer's settings and cluster key; all share one of their own.
        variables["XDG_CONFIG_HOME"] = configuration
        // Journals of the tests are not those of the developer.
        variables["XDG_STATE_HOME"] = NSTemporaryDirectory() + "skyfarm-tests-state"
        variables["XDG_CACHE_HOME"] = NSTemporaryDirectory() + "skyfarm-tests-cache"
        variables["SWIFT_BACKTRACE"] = "enable=no"
        return variables.merging(further) { $1 }.map { "\($0)=\($1)" }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

/// A node process and its address.
final class Node {
    let program: Program
    let name: String
    let address: String

    init(_ name: String, slots: Int = 1, _ further: [String] = [], environment: [String: String] = [:]) throws {
        program = try Program(
            ["node", "--name", name, "--slots", "\(slots)", "--listen", "127.0.0.1:0"] + further,
            environment: environment)
        let words = try program.firstLine().split(separator: " ")
        guard words.count == 5, words[0] == "ready" else { throw Program.Failure(description: "node: \(words)") }
        (self.name, address) = (name, String(words[2]))
    }
}
