import Foundation

/// CPU time.
enum ProcessorTime {
    /// Seconds of this process, over all threads.
    static var used: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// Seconds of the calling thread.
    static var ofThread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
