package import CommandLineKit
import Foundation
import ScanCluster

/// Reads the values that ``OwnerRules`` need: the load caused by other programs, and the time since the machine was
/// last used. Supported on Linux only.
package final class MachineObserver: Sendable {
    private struct Counters {
        /// Time that processors were busy with all programs, in seconds.
        var busy: Double
        /// Time that processors were busy with this program, in seconds.
        var own: Double
        /// Time of a monotonic clock, in seconds.
        var time: Double
    }
    private struct State {
        var counters: Counters?
        /// Number of keyboard and pointer interrupts, for which ``input`` is the time of the last change.
        var interrupts: Int?
        var input = Date.distantPast
    }

    private let rules: OwnerRules
    private let state = Locked(State())

    /// - Throws: ``CommandError`` if the system does not report the values that `rules` need.
    package init(_ rules: OwnerRules) throws(CommandError) {
        self.rules = rules
        let first = read()
        if rules.idle != nil, first.idle == nil { throw Self.missing("--when-idle", "when its terminals were used") }
        if rules.maxLoad != nil, Self.counters() == nil { throw Self.missing("--max-load", "its load (/proc/stat)") }
    }

    private static func missing(_ option: String, _ what: String) -> CommandError {
        CommandError(.failure, "node: \(option): this system does not tell \(what); leave the option out")
    }

    package func read() -> MachineReading {
        let time = Calendar.current.dateComponents([.hour, .minute], from: .now)
        return MachineReading(
            load: rules.maxLoad == nil ? nil : load(), idle: rules.idle == nil ? nil : idle(),
            minute: (time.hour ?? 0) * 60 + (time.minute ?? 0))
    }

    // MARK: Load

    private func load() -> Double? {
        guard let now = Self.counters() else { return nil }
        return state.withLock { state in
            defer { state.counters = now }
            guard let before = state.counters, now.time > before.time else { return nil }
            return max(0, (now.busy - before.busy - (now.own - before.own)) / (now.time - before.time))
        }
    }

    private static func counters() -> Counters? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8), let busy = busyTicks(text) else {
            return nil
        }
        var (own, time) = (timespec(), timespec())
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own)
        clock_gettime(CLOCK_MONOTONIC, &time)
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        let ticks = max(1, sysconf(Int32(_SC_CLK_TCK)))
        return Counters(busy: Double(busy) / Double(ticks), own: seconds(own), time: seconds(time))
    }

    /// Returns the sum of user, nice, system, irq and softirq in the first line of /proc/stat; see proc_stat(5).
    package static func busyTicks(_ text: String) -> Int? {
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        guard fields.count >= 8, fields[0] == "cpu" else { return nil }
        return [1, 2, 3, 6, 7].reduce(0 as Int?) { sum, index in sum.flatMap { a in Int(fields[index]).map { a + $0 } }
        }
    }

    // MARK: Use

    /// Returns the time since somebody typed at a terminal, as shown by w(1), or used a keyboard or pointer with its
    /// own interrupts.
    private func idle() -> Duration? {
        #if os(Linux)
            let count = (try? String(contentsOfFile: "/proc/interrupts", encoding: .utf8)).map(Self.inputInterrupts)
            let last = state.withLock { state in
                if let count, let before = state.interrupts, count != before { state.input = .now }
                state.interrupts = count ?? state.interrupts
                return state.input
            }
            let newest = Self.terminals().compactMap(Self.lastRead).max() ?? .distantPast
            return .seconds(max(0, Date.now.timeIntervalSince(max(last, newest))))
        #else
            return nil
        #endif
    }

    /// Returns the number of interrupts of the controller of PS/2 keyboards and pointers, which built-in devices often
    /// use.
    package static func inputInterrupts(_ text: String) -> Int {
        text.split(separator: "\n").filter { $0.hasSuffix(" i8042") }.reduce(0) { sum, line in
            sum + line.split(separator: " ").dropFirst().prefix { Int($0) != nil }.reduce(0) { $0 + (Int($1) ?? 0) }
        }
    }

    private static func terminals() -> [String] {
        let consoles = ((try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []).filter {
            $0.wholeMatch(of: /tty[0-9]+/) != nil
        }.map { "/dev/" + $0 }
        let others = ((try? FileManager.default.contentsOfDirectory(atPath: "/dev/pts")) ?? []).filter {
            Int($0) != nil
        }.map { "/dev/pts/" + $0 }
        return consoles + others
    }

    /// Returns the time when a program last read input from a terminal.
    private static func lastRead(_ path: String) -> Date? {
        #if os(Linux)
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return Date(timeIntervalSince1970: Double(status.st_atim.tv_sec))
        #else
            return nil
        #endif
    }
}
