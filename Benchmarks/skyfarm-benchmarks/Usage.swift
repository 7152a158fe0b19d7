#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What this process has used of the machine. Other programs disturb processor time less than the time of day.
enum Usage {
    /// Seconds that the children of this process that have ended have used, counted in clock ticks.
    static var processorTimeOfChildren: Double { seconds { $0.tms_cutime + $0.tms_cstime } }

    /// Seconds that all threads of this process have used, and its children that have ended; counted in clock ticks.
    static var processorTime: Double {
        seconds { $0.tms_utime + $0.tms_stime + $0.tms_cutime + $0.tms_cstime }
    }

    private static func seconds(_ ticks: (tms) -> clock_t) -> Double {
        var used = tms()
        times(&used)
        return Double(ticks(used)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Most memory that this process has ever had resident, in bytes.
    static var mostMemory: Double {
        var usage = rusage()
        #if os(Linux)
            // Kilobytes here, bytes elsewhere.
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return Double(usage.ru_maxrss) * 1024
        #else
            getrusage(RUSAGE_SELF, &usage)
            return Double(usage.ru_maxrss)
        #endif
    }
}
