internal import Foundation

/// The time that reading the windows of a scan took.
struct ReadingTime {
    /// Elapsed seconds, where several threads read side by side divided by their number.
    private(set) var seconds = 0.0
    /// Pixels of the windows.
    private(set) var pixels = 0
    /// Processor time of slots that read windows themselves.
    private(set) var slotProcessorSeconds = 0.0
    private var converted = (pixels: 0, processorSeconds: 0.0)

    /// Processor time that one system alone would take to read all of these windows, at the pace of those that were
    /// converted to pixels: what is sent to nodes as it is stored is converted there.
    var processorSecondsAlone: Double {
        converted.pixels == 0 ? 0 : converted.processorSeconds / Double(converted.pixels) * Double(pixels)
    }

    /// The beginning of reading a window on this thread.
    struct Start {
        fileprivate let instant = ContinuousClock.now
        fileprivate let processorSeconds = ReadingTime.processorSeconds
    }

    /// A window of so many pixels was read on this thread, one of so many, and converted or not. `onSlot`: the thread is
    /// that of a slot.
    mutating func add(
        pixels count: Int, since start: Start, isConverted: Bool, threads: Int = 1, onSlot: Bool = false
    ) {
        let processor = Self.processorSeconds - start.processorSeconds
        seconds += (ContinuousClock.now - start.instant) / .seconds(1) / Double(max(1, threads))
        pixels += count
        if isConverted {
            converted.pixels += count
            converted.processorSeconds += processor
        }
        if onSlot { slotProcessorSeconds += processor }
    }

    /// Time in which a processor ran this thread.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
