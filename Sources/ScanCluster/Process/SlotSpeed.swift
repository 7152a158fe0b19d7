#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The speed of one slot of this process, before it has done any task: rounds per second of a short computation on
/// floating-point numbers and memory, by processor time. It tells a fast machine from a slow one, no more.
package enum SlotSpeed {
    /// Measured when it is first asked for, in about a millisecond of processor time.
    package static let ofThisProcess = (0..<3).map { _ in measure() }.max() ?? 1

    private static let rounds = 40

    private static func measure() -> Double {
        var numbers = (0..<2048).map { Float($0) }
        let start = processorTime
        for round in 1...rounds {
            let scale = 1 / Float(round)
            for index in 1..<numbers.count {
                numbers[index] = (numbers[index] + scale * numbers[index - 1]) * 0.5 + (numbers[index] > 100 ? 1 : 0)
            }
        }
        // The result is used, so that the computation is not left out.
        let sum = numbers.reduce(0, +)
        let seconds = max(processorTime - start, 1e-6)
        return Double(rounds) / seconds * (sum.isNaN ? 0.5 : 1)
    }

    /// Seconds of this thread.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
