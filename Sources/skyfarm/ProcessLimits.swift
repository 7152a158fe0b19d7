import CSystem
import CommandLineKit
import Foundation
import ScanBasics

/// Checks the limits that the shell's `ulimit` sets for this process at its start, since without threads and
/// descriptors later errors could not even be reported.
package enum ProcessLimits {
    /// Number of files that a command needs in addition to its images: standard streams, the event loop, the journal.
    private static let leastFiles: UInt64 = 32
    /// Number of open files that suffices for a process with many connections.
    private static let usualFiles: rlim_t = 4096
    /// Bytes of address space that code, thread stacks and small buffers need.
    private static let leastMemory: UInt64 = 256 << 20

    /// Raises the limit of open files to the usual number if permitted, and checks the limits.
    /// - Returns: A description of the problem and its remedy, or nil if there is none.
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

    /// Installs a handler that ends the process with this line if the limit forbids an allocation or a thread, since no
    /// code that allocates can handle that.
    private static func endWithLine(memory: UInt64) {
        skyfarm_end_with_line(
            "skyfarm: ended, probably since only \(memory >> 20) MiB of memory may be used: allow more, as by "
                + "`ulimit -v unlimited`\n", ExitCode.failure.rawValue)
    }

    /// Returns the problem with these limits of open files and of address space, or nil if there is none.
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

/// Account of the user who runs the process.
enum UserAccount {
    /// Sets HOME to the account's home folder if it is not set, as for a process started without environment. Must be
    /// called before other threads start.
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
