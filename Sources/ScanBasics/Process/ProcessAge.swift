internal import Foundation

package enum ProcessAge {
    /// Seconds since the process was started, before its libraries were loaded, with a resolution of 0.01 s; nil if
    /// unknown.
    package static var seconds: Double? {
        #if os(Linux)
            var time = timespec()
            // proc(5): the second field, the name, may contain any character but is in parentheses; field 22 is the
            // start in clock ticks since the machine was booted.
            guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")"), clock_gettime(CLOCK_BOOTTIME, &time) == 0
            else { return nil }
            let fields = text[end...].split(separator: " ")
            guard fields.count > 20, let ticks = Double(fields[20]) else { return nil }
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        #else
            return nil
        #endif
    }
}
