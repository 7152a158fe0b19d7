import Console
import ScanDashboard
package import SkyReport

extension PrometheusText {
    /// The measurements of a scan `time` seconds after its beginning.
    package init(_ live: LiveScan, at time: Double) {
        self.init()
        let timeline = live.timeline
        let names = timeline.systems.map(\.name)
        var counts: [Key: Int] = [:]
        var seconds = Array(repeating: 0.0, count: names.count)
        var pixels = seconds
        for attempt in timeline.attempts {
            counts[Key(step: attempt.step, system: attempt.system, outcome: attempt.outcome), default: 0] += 1
            guard attempt.outcome == .done else { continue }
            seconds[attempt.system] += attempt.seconds ?? 0
            pixels[attempt.system] += attempt.cost
        }
        func perSystem(_ values: [Double]) -> [Sample] {
            zip(names, values).map { Sample([("system", $0)], $1) }
        }
        add("skyfarm_build_info", .gauge, "The program.", [Sample([("version", Software.version)], 1)])
        add("skyfarm_scan_seconds", .gauge, "Seconds since the scan began.", timeline.end ?? time)
        add("skyfarm_scan_running", .gauge, "1 until the scan has ended.", live.ending == nil ? 1 : 0)
        add("skyfarm_scan_sources", .gauge, "Sources found so far.", Double(live.sourceCount))
        add(
            "skyfarm_scan_attempts_total", .counter, "Attempts at tasks that have ended, by outcome.",
            counts.filter { $0.key.outcome != .running }.sorted { $0.key < $1.key }.map { key, count in
                Sample(
                    [("step", key.step), ("system", names[key.system]), ("outcome", key.outcome.rawValue)],
                    Double(count))
            })
        let running = names.indices.map { system in
            counts.reduce(0) { $0 + ($1.key.system == system && $1.key.outcome == .running ? $1.value : 0) }
        }
        add(
            "skyfarm_scan_tasks_in_flight", .gauge, "Tasks handed to a system that have not ended.",
            perSystem(running.map(Double.init)))
        add(
            "skyfarm_scan_task_seconds_total", .counter, "Seconds of execution of tasks that are done.",
            perSystem(seconds))
        add("skyfarm_scan_task_pixels_total", .counter, "Cost of tasks that are done, in pixels.", perSystem(pixels))
        add(
            "skyfarm_system_slots", .gauge, "Tasks that a system runs at the same time.",
            perSystem(timeline.systems.map { Double($0.slots) }))
        add(
            "skyfarm_system_up", .gauge, "1 while a system is connected.",
            perSystem(timeline.systems.map { $0.isPresent ? 1 : 0 }))
    }

    private struct Key: Hashable, Comparable {
        var step: String
        var system: Int
        var outcome: Attempt.Outcome

        static func < (left: Key, right: Key) -> Bool {
            (left.step, left.system, left.outcome.rawValue) < (right.step, right.system, right.outcome.rawValue)
        }
    }
}
