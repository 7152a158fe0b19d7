import Testing

import Console

@Suite struct HumanFormatTests {
    @Test(
        "durations read as people say them",
        arguments: [
            (0, "0.0 s"), (1.25, "1.2 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1:00"), (185, "3:05"),
            (3723, "1:02:03"), (-1, "?"), (Double.infinity, "?"), (Double.nan, "?"),
        ] as [(Double, String)])
    func durations(seconds: Double, text: String) { #expect(HumanFormat.duration(seconds: seconds) == text) }

    @Test(
        "measurements keep three digits",
        arguments: [
            (12.34e-6, "12.3 us"), (0.9996e-3, "1.00 ms"), (0.04567, "45.7 ms"), (1.234, "1.23 s"), (12.34, "12.3 s"),
            (185, "3:05"),
        ] as [(Double, String)])
    func measurements(seconds: Double, text: String) { #expect(HumanFormat.measurement(seconds: seconds) == text) }

    @Test(
        "quantities keep three digits",
        arguments: [
            (0, "0"), (12.34, "12.3"), (999, "999"), (1000, "1.00 k"), (12_345, "12.3 k"), (999_600, "1.00 M"),
            (123_456_789, "123 M"), (2.5e9, "2.50 G"), (7e12, "7.00 T"),
        ] as [(Double, String)])
    func quantities(value: Double, text: String) { #expect(HumanFormat.quantity(value) == text) }

    @Test("rates and counts have their units")
    func units() {
        #expect(HumanFormat.pixelRate(17_300_000) == "17.3 Mpix/s")
        #expect(HumanFormat.pixelRate(12) == "12 pix/s")
        #expect(HumanFormat.percent(0.126) == "13 %" && HumanFormat.percent(1, digits: 2) == "100.00 %")
        #expect(HumanFormat.count(1, "retry") == "1 retry")
        #expect(HumanFormat.count(0, "node") == "0 nodes")
        #expect(HumanFormat.count(2, "retry") == "2 retries")
    }

    @Test("lists name a few and count the rest")
    func lists() {
        #expect(
            ["a", "b", "c", "d", "e"].indices.map { HumanFormat.list(Array(["a", "b", "c", "d", "e"].prefix($0 + 1))) }
                == [
                    "a", "a and b", "a, b and c", "a, b, c and d", "a, b, c and 2 more",
                ])
        #expect(HumanFormat.list([]) == "")
    }
}
