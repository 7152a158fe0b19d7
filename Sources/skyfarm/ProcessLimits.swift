import CSystem
import CommandLineKit
import Foundation
import ScanBasics

/// What the shell's `ulimit` leaves to this process. Without threads and descriptors it could not even say what is wrong
/// later.
package enum ProcessLimits {
    /// Files that a command needs beside those of its images: the standard streams, the event loop, the journal.
    private static let leastFiles: UInt64 = 32
    /// Files that a process may open which has many connections.
    private static let usualFiles: rlim_t = 4096
    /// Bytes of addresses that code, stacks of threads and small buffers take.
    private static let leastMemory: UInt64 = 256 << 20

    /// Allows as many files as are usual, if the user may, and checks the limits.
    /// - Returns: what is missing, and the remedy; nil if nothing is.
    package static func problem() -> String? {
        var files = fileLimit
        if files.rlim_cur < usualFiles, files.rlim_cur < files.rlim_max {
            files.rlim_cur = min(usualFiles, files.rlim_max)
            setrlimit(fileResource, &files)
            files = fileLimit
        }
        let memory = AddressSpace.limit.map { UInt64($0) }
        if let problem = problem(files: UInt64(files.rlim_cur), memory: memory ?? .max) { return problem }
        if let memory { endWithLine(memory: memory) }
        return nil
    }

    /// An allocation or a thread that this limit forbids ends the process with a line: no code that allocates can handle it.
    private static func endWithLine(memory: UInt64) {
        skyfarm_end_with_line(
            "skyfarm: ended, probably since only \(memory >> 20) MiB of memory may be used: allow more, as by "
                + "`ulimit -v unlimited`\n", ExitCode.failure.rawValue)
    }

    /// What is missing if so many files may be open, and so many bytes may have addresses.
    package static func problem(files: UInt64, memory: UInt64) -> String? {
        if files < leastFiles {
            return "only \(files) files may be open: allow at least \(leastFiles), as by `ulimit -n 1024`"
        }
        if memory < leastMemory {
            return "only \(memory >> 20) MiB of memory may be used: allow at least \(leastMemory >> 20) MiB, as by "
                + "`ulimit -v unlimited`"
        }
        return nil
    }

    private static var fileLimit: rlimit {
        var limit = rlimit()
        return getrlimit(fileResource, &limit) == 0 ? limit : rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
    }

    #if canImport(Glibc)
        private static let fileResource = Int32(RLIMIT_NOFILE.rawValue)
    #else
        private static let fileResource = RLIMIT_NOFILE
    #endif
}

/// The account of the process's user.
enum UserAccount {
    /// Sets HOME to the account's home folder if it is not set, as for a process that is started without environment. Call
    /// before there are other threads.
    static func completeEnvironment() {
        guard getenv("HOME") == nil, let home else { return }
        setenv("HOME", home, 1)
    }

    private static var home: String? {
        guard let entry = getpwuid(geteuid()), let text = entry.pointee.pw_dir else { return nil }
        let home = String(cString: text)
        return home.hasPrefix("/") ? home : nil
    }
}
