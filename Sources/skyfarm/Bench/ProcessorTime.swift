import Foundation

/// CPU time of this process.
enum ProcessorTime {
    /// Seconds, over all threads.
    static var used: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
