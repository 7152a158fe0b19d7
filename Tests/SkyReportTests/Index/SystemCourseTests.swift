import ScanBasics
import SkyReport
import Testing

@Suite("how busy systems were") struct SystemCourseTests {
    @Test("a task adds its time to the intervals that it ran in")
    func parts() {
        var course = SystemCourse()
        course.add(0.02..<0.17, on: "a")
        let expected = [0.03, 0.05, 0.05, 0.02]
        let busy = course.busy["a"] ?? []
        #expect(busy.count == 4 && zip(busy, expected).allSatisfy { abs($0 - $1) < 1e-12 })
        course.add(-1..<0.05, on: "b")
        #expect(course.busy["b"]?.count == 2 && abs((course.busy["b"]?[0] ?? 0) - 0.05) < 1e-12)
        course.add(3..<3, on: "c")
        #expect(course.busy["c"] == nil)
    }

    @Test("a day takes no more intervals than a second, and no time is lost")
    func day() {
        var generator = SplitMix64(seed: 5)
        var course = SystemCourse()
        var (time, sums) = (0.0, ["a": 0.0, "b": 0.0])
        while time < 86_400 {
            let seconds = Double.random(in: 0.1..<40, using: &generator)
            let system = Bool.random(using: &generator) ? "a" : "b"
            time += seconds
            course.add(time - seconds..<time, on: system)
            sums[system, default: 0] += seconds
            #expect(course.interval * Double(SystemCourse.limit) >= time)
        }
        #expect(course.busy.values.allSatisfy { $0.count <= SystemCourse.limit })
        for (system, sum) in sums { #expect(abs((course.busy[system] ?? []).reduce(0, +) - sum) < 1e-6) }
    }
}
