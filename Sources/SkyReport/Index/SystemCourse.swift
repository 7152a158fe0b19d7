/// The load of systems over time: seconds of task execution in equal intervals. The intervals are doubled when there
/// are too many, so that memory does not depend on the length of the job. Performs no I/O.
package struct SystemCourse: Equatable, Sendable {
    /// Maximum number of intervals of a system.
    package static let limit = 240

    /// Length of an interval in seconds.
    package private(set) var interval = 0.05
    /// Seconds of task execution in each interval, by the name of the system.
    package private(set) var busy: [String: [Double]] = [:]

    package init() {}

    /// Adds a task that ran on a system in `times`, in seconds since the job began.
    package mutating func add(_ times: Range<Double>, on system: String) {
        let times = times.clamped(to: 0..<max(0, times.upperBound))
        guard times.upperBound.isFinite, !times.isEmpty else { return }
        while times.upperBound > interval * Double(Self.limit) { double() }
        var intervals = busy.removeValue(forKey: system) ?? []
        let (first, last) = (Int(times.lowerBound / interval), min(Self.limit - 1, Int(times.upperBound / interval)))
        intervals += Array(repeating: 0, count: max(0, last + 1 - intervals.count))
        for index in first...last {
            let whole = Double(index) * interval..<Double(index + 1) * interval
            let part = times.clamped(to: whole)
            intervals[index] += part.upperBound - part.lowerBound
        }
        busy[system] = intervals
    }

    private mutating func double() {
        interval *= 2
        busy = busy.mapValues { values in
            stride(from: 0, to: values.count, by: 2).map { values[$0] + ($0 + 1 < values.count ? values[$0 + 1] : 0) }
        }
    }
}
