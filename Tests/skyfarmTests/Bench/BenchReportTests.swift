import Foundation
import ScanCluster
import Testing

@testable import skyfarm

@Suite("the report of a benchmark")
struct BenchReportTests {
    let systems = ScanMeasurementTests.measurement.systems

    @Test("what the systems do together is compared with the fastest and with their sum")
    func dispatch() {
        let dispatch = BenchReport.Dispatch(alone: [Sample([100]), Sample([60])], together: Sample([120]))
        #expect(dispatch.speedUp == 1.2 && dispatch.efficiency == 0.75 && dispatch.bound == .coordinator)
        #expect(BenchReport.Dispatch(alone: [Sample([100]), Sample([60])], together: Sample([150])).bound == .compute)
        let alone = BenchReport.Dispatch(alone: [Sample([100])], together: nil)
        #expect(alone.speedUp == nil && alone.efficiency == nil && alone.bound == nil)
    }

    @Test("people read tables, with what limits the cluster below")
    func text() {
        var report = BenchReport(runs: 3, systems: systems)
        report.dispatch = BenchReport.Dispatch(
            alone: [Sample([300_000, 310_000, 290_000]), Sample([40_000])], together: Sample([50_000]))
        report.latency = BenchReport.Latency(
            p50: [Sample([12e-6]), Sample([1.25e-3])], p99: [Sample([30e-6]), Sample([2e-3])])
        var measurement = ScanMeasurementTests.measurement
        measurement.links = [LinkRate(bitsPerSecond: 1e9)]
        report.scan = measurement.report
        #expect(
            report.text == """
                dispatch: tasks that do nothing, median of 3 runs
                SYSTEM    SLOTS  TASKS/S  LOWEST  HIGHEST
                local         2    300 k   290 k    310 k
                alpha         4   40.0 k  40.0 k   40.0 k
                together      6   50.0 k  50.0 k   50.0 k
                0.17 x the fastest alone, 15 % of their sum; the coordinator is the limit

                latency: one task that does nothing after the other, median of 3 runs
                SYSTEM      P50   LOWEST  HIGHEST      P99
                local   12.0 us  12.0 us  12.0 us  30.0 us
                alpha   1.25 ms  1.25 ms  1.25 ms  2.00 ms

                scan: sky, 1000 x 1000 pixels in 10 bands, median of 3 runs
                SYSTEM    SLOTS    TIME  LOWEST  HIGHEST         RATE
                local         1  10.0 s  10.0 s   11.0 s   100 kpix/s
                alpha         1  20.5 s  20.0 s   21.0 s  48.8 kpix/s
                together      6  4.00 s  4.00 s   4.00 s   250 kpix/s
                2.50 x one slot, efficiency 62 %; the limit: computing
                of the slots' time: 75 % scanning, 15 % waiting, 10 % for the coordinator alone
                together slots scan 1.20 x as slowly as alone: they share cores or memory
                link to all nodes: 2.20 MB/s
                nodes like these, expected: 1 node 2.60 x
                from 1 node on, more will not help: the link
                over 1.00 Gbit/s: 1 node 2.78 x, 2 nodes 4.12 x; from 2 nodes on, more will not help: the image has \
                only 10 bands
                """ + "\n")
    }

    @Test("programs read a document with a version")
    func json() throws {
        var report = BenchReport(runs: 2, systems: systems)
        report.scan = ScanMeasurementTests.measurement.report
        let document = try JSONSerialization.jsonObject(with: Data(JSONOutput.document(report).utf8))
        let object = try #require(document as? [String: Any])
        #expect(object["v"] as? Int == 1 && object["dispatch"] == nil)
        let scan = try #require(object["scan"] as? [String: Any])
        #expect(scan["speedUp"] as? Double == 2.5 && scan["bound"] as? String == "compute")
        #expect((scan["model"] as? [String: Any])?["slowdown"] as? Double == 1.2)
    }
}
