import ScanCluster
import CStopwatch
import SkyScan

/// The time of a scan on one slot, by step.
///
/// Times inside the kernel and CFITSIO come from ``CStopwatch``, a task's time from its response. The rest of a task is
/// work on a window: islands, numbers for cleaning, tables. Reading and the checksum have their
/// own threads; "between tasks" is the time in which no task runs. The first share subtracts all reading by CFITSIO,
/// including what overlaps with tasks; the second subtracts the kernel only.
struct ScanBreakdown {
    private static let steps = [
        "  read (cfitsio)", "  background (kernel)", "  extract (kernel)", "  measure (kernel)",
        "  tasks, outside the kernel", "  clean, cut apertures", "  write the catalogue", "  between tasks",
    ]
    private var seconds: [String: Sample] = [:]
    private var foreign = Sample()
    private var own = Sample()

    mutating func add(total: Double, library: stopwatch_times, tally: ScanTally, last: Double, write: Double) {
        func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
        let read = seconds(library.read)
        let kernel = [library.background, library.extract, library.measure].map(seconds)
        let inTasks = tally.steps.values.reduce(0) { $0 + $1.seconds }
        let beside = inTasks - kernel.reduce(0, +)
        let finish = last - (tally.steps[.photometry]?.seconds ?? 0)
        let values = [read] + kernel + [beside, finish, write, total - inTasks - finish - write]
        for (step, value) in zip(Self.steps, values) { self.seconds[step, default: Sample()].add(value) }
        foreign.add(100 * (total - read - kernel.reduce(0, +)) / total)
        own.add(100 * (total - kernel.reduce(0, +)) / total)
    }

    func add(to report: inout Report) {
        for step in Self.steps { report.add(step, "s", seconds[step] ?? Sample()) }
        report.add("  share outside kernel and cfitsio", "%", foreign)
        report.add("  share outside kernel", "%", own)
    }
}
