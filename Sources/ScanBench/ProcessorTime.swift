import Foundation

/// CPU time of this process and its threads.
enum ProcessorTime {
    /// CPU time of this process over all threads, in seconds.
    static var used: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// CPU time of the calling thread, in seconds.
    static var ofThread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
