#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Processor time, which other programs on the machine disturb less than the time of day.
enum ProcessorTime {
    /// Seconds that all threads of this process have used, and its children that have ended; counted in clock ticks.
    static var used: Double {
        var ticks = tms()
        times(&ticks)
        return Double(ticks.tms_utime + ticks.tms_stime + ticks.tms_cutime + ticks.tms_cstime)
            / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
