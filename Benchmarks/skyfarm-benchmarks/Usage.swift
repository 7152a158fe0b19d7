#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Resource usage of this process. Other load affects CPU time less than wall-clock time.
enum Usage {
    /// CPU time of ended child processes in seconds, with the resolution of a clock tick.
    static var processorTimeOfChildren: Double { seconds { $0.tms_cutime + $0.tms_cstime } }

    /// CPU time of this process and its ended children in seconds, with the resolution of a clock tick.
    static var processorTime: Double {
        seconds { $0.tms_utime + $0.tms_stime + $0.tms_cutime + $0.tms_cstime }
    }

    /// CPU time of this process in seconds, of the program and the system.
    static var ownProcessorTime: Double { own.processorTime }

    private static func seconds(_ ticks: (tms) -> clock_t) -> Double {
        var used = tms()
        times(&used)
        return Double(ticks(used)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Peak resident memory of this process in bytes.
    static var peakMemory: Double { own.peakMemory }

    private static var own: rusage {
        var usage = rusage()
        #if os(Linux)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }
}

extension rusage {
    /// Processor time in seconds, of the program and the system.
    var processorTime: Double {
        let (seconds, microseconds) = (ru_utime.tv_sec + ru_stime.tv_sec, ru_utime.tv_usec + ru_stime.tv_usec)
        return Double(seconds) + Double(microseconds) / 1e6
    }

    /// Peak resident memory in bytes.
    var peakMemory: Double {
        #if os(Linux)
            // Kilobytes here, bytes elsewhere.
            Double(ru_maxrss) * 1024
        #else
            Double(ru_maxrss)
        #endif
    }
}
