import ScanDashboard
import SkyFITS
import SkyReport
import Testing

@Suite struct ScanMetricsTests {
    private var live: LiveScan {
        let bands = (0..<3).map { PixelRect(x: 0..<100, y: $0 * 10..<($0 + 1) * 10) }
        var live = LiveScan()
        live.begin(step: "extraction", waiting: bands, resumed: [], at: 0)
        live.timeline.join("local", slots: 2, at: 0)
        live.timeline.join("a \"node\"", slots: 4, at: 0)
        for task in 0..<3 {
            live.start(task: task, number: 1, on: task == 1 ? "a \"node\"" : "local", cost: 1000, at: 1)
        }
        live.timeline.finish(task: 0, number: 1, seconds: 1.5, at: 3)
        live.timeline.retry(task: 1, number: 1, on: "a \"node\"", reason: "broken", at: 3)
        live.timeline.leave("a \"node\"", at: 3)
        live.find(x: [1, 2], y: [1, 2])
        return live
    }

    @Test("the numbers say who did what, and who is there")
    func numbers() {
        let lines = PrometheusText(live, at: 4.5).text.split(separator: "\n")
        for line in [
            "skyfarm_scan_seconds 4.5", "skyfarm_scan_running 1", "skyfarm_scan_sources 2",
            #"skyfarm_scan_attempts_total{step="extraction",system="local",outcome="done"} 1"#,
            #"skyfarm_scan_attempts_total{step="extraction",system="a \"node\"",outcome="lost"} 1"#,
            #"skyfarm_scan_tasks_in_flight{system="local"} 1"#, #"skyfarm_scan_tasks_in_flight{system="a \"node\""} 0"#,
            #"skyfarm_scan_task_seconds_total{system="local"} 1.5"#,
            #"skyfarm_scan_task_pixels_total{system="local"} 1000"#,
            #"skyfarm_system_slots{system="a \"node\""} 4"#, #"skyfarm_system_up{system="a \"node\""} 0"#,
            #"skyfarm_system_up{system="local"} 1"#,
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test("every metric has help and type, counters end in _total, and no line is there twice")
    func form() {
        let lines = PrometheusText(live, at: 4.5).text.split(separator: "\n").map(String.init)
        let names = Set(lines.filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != " " && $0 != "{" }) })
        #expect(Set(lines).count == lines.count && names.count > 8)
        for name in names {
            #expect(name.hasPrefix("skyfarm_"))
            #expect(lines.count { $0.hasPrefix("# HELP \(name) ") } == 1)
            #expect(lines.contains("# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : "gauge")"))
        }
    }
}
