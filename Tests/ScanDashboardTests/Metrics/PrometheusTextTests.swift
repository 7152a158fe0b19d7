import Testing

import ScanDashboard

@Suite struct PrometheusTextTests {
    @Test("a metric is its help, its type and a line for each set of labels")
    func lines() {
        var text = PrometheusText()
        text.add("skyfarm_tasks_total", .counter, "Tasks done.", [.init([("system", "a"), ("step", "b")], 3)])
        text.add("skyfarm_scan_seconds", .gauge, "Time.", 1.5)
        #expect(
            text.text == """
                # HELP skyfarm_tasks_total Tasks done.
                # TYPE skyfarm_tasks_total counter
                skyfarm_tasks_total{system="a",step="b"} 3
                # HELP skyfarm_scan_seconds Time.
                # TYPE skyfarm_scan_seconds gauge
                skyfarm_scan_seconds 1.5

                """)
    }

    @Test("untrusted names cannot end a label or a line")
    func escaping() {
        var text = PrometheusText()
        text.add("skyfarm_x", .gauge, "a\\b\nc", [.init([("system", "q\"\\\n")], 0)])
        #expect(
            text.text == """
                # HELP skyfarm_x a\\\\b\\nc
                # TYPE skyfarm_x gauge
                skyfarm_x{system="q\\"\\\\\\n"} 0

                """)
    }

    @Test(
        "numbers that are none are written as the format wants",
        arguments: [
            (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (-2, "-2"), (0.25, "0.25"),
        ])
    func numbers(value: Double, word: String) {
        var text = PrometheusText()
        text.add("skyfarm_x", .gauge, "x", value)
        #expect(text.text.hasSuffix("\nskyfarm_x \(word)\n"))
    }
}
