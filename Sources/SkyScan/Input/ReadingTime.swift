internal import Foundation

/// What reading the windows of a scan took, on one thread at a time.
struct ReadingTime {
    /// Elapsed seconds.
    private(set) var seconds = 0.0
    /// Pixels of the windows.
    private(set) var pixels = 0
    private var converted = (pixels: 0, processorSeconds: 0.0)

    /// Processor time that one system alone would take to read all of these windows, at the pace of those that were
    /// converted to pixels: what is sent to nodes as it is stored is converted there.
    var processorSecondsAlone: Double {
        converted.pixels == 0 ? 0 : converted.processorSeconds / Double(converted.pixels) * Double(pixels)
    }

    /// Runs `read`, which reads a window of so many pixels and converts them or not.
    mutating func measure<Result>(
        pixels count: Int, isConverted: Bool, _ read: () throws -> Result
    ) rethrows -> Result {
        let (start, processorStart) = (ContinuousClock.now, Self.processorSeconds)
        defer {
            seconds += (ContinuousClock.now - start) / .seconds(1)
            pixels += count
            if isConverted {
                converted.pixels += count
                converted.processorSeconds += Self.processorSeconds - processorStart
            }
        }
        return try read()
    }

    /// Time in which a processor ran this thread.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
