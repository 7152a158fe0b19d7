#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs programs to their end.
enum Command {
    /// A program's output on both streams, and its exit status.
    struct Result {
        var output: String
        var status: Int32
    }

    /// Runs `arguments`, the first of which is the program's path; blocks until it ends.
    static func run(_ arguments: [String], environment extra: [String] = []) -> Result {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return Result(output: "no pipe", status: -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)

        // Threads of Dispatch block all signals, and a child inherits the mask.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var process = pid_t()
        let spawned = withCStrings(arguments) { argv in
            withCStrings(environment() + extra) { envp in
                posix_spawn(&process, arguments[0], &actions, &attributes, argv, envp)
            }
        }
        close(ends[1])
        defer { close(ends[0]) }
        guard spawned == 0 else { return Result(output: String(cString: strerror(spawned)), status: -1) }
        let output = String(decoding: contents(of: ends[0]), as: UTF8.self)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return Result(output: output, status: status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f))
    }

    /// The lines of a text file; none if it cannot be read.
    static func lines(of path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return String(decoding: contents(of: descriptor), as: UTF8.self).split(separator: "\n")
    }

    private static func contents(of descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            if count > 0 { bytes += part[..<count] } else if count == 0 || errno != EINTR { return bytes }
        }
    }

    private static func environment() -> [String] {
        sequence(
            state: environ,
            next: { place in
                defer { place += 1 }
                return place.pointee.map { String(cString: $0) }
            }
        ).map { $0 }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the list ends with nil") }
            return body(start)
        }
    }
}
