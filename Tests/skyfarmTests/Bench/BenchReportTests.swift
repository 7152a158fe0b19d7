import Foundation
import ScanCluster
import Testing

import Console
@testable import ScanBench

@Suite("the report of a benchmark")
struct BenchReportTests {
    let systems = ScanMeasurementTests.measurement.systems

    @Test("what the systems do together is compared with the fastest and with their sum")
    func dispatch() {
        func dispatch(_ alone: [Double], _ together: Double?) -> BenchReport.Dispatch {
            BenchReport.Dispatch(
                alone: alone.map { Sample([$0]) }, together: together.map { Sample([$0]) }, inChunks: Sample([900]))
        }
        let both = dispatch([100, 60], 120)
        #expect(both.speedUp == 1.2 && both.efficiency == 0.75 && both.bound == .coordinator)
        #expect(dispatch([100, 60], 150).bound == .compute)
        let alone = dispatch([100], nil)
        #expect(alone.speedUp == nil && alone.efficiency == nil && alone.bound == nil)
    }

    @Test("people read tables, with what limits the cluster below")
    func text() {
        var report = BenchReport(runs: 3, systems: systems)
        report.dispatch = BenchReport.Dispatch(
            alone: [Sample([300_000, 310_000, 290_000]), Sample([40_000])], together: Sample([50_000]),
            inChunks: Sample([1_500_000]))
        report.latency = BenchReport.Latency(
            p50: [Sample([12e-6]), Sample([1.25e-3])], p99: [Sample([30e-6]), Sample([2e-3])])
        var measurement = ScanMeasurementTests.measurement
        measurement.links = [LinkRate(bitsPerSecond: 1e9)]
        report.scan = measurement.report
        #expect(
            report.text == """
                a 1000 x 1000 image takes 5.75 s on this machine, 4.00 s with this node

                dispatch: null tasks, median of 3 runs
                SYSTEM     SLOTS  TASKS/S  LOWEST  HIGHEST
                local          2    300 k   290 k    310 k
                alpha          4   40.0 k  40.0 k   40.0 k
                together       6   50.0 k  50.0 k   50.0 k
                in chunks      6   1.50 M  1.50 M   1.50 M
                0.17 x the fastest alone, 15 % of their sum; limited by the coordinator

                latency: one null task at a time, median of 3 runs
                SYSTEM      P50   LOWEST  HIGHEST      P99
                local   12.0 us  12.0 us  12.0 us  30.0 us
                alpha   1.25 ms  1.25 ms  1.25 ms  2.00 ms

                scan: sky, 1000 x 1000 pixels in 10 bands, median of 3 runs
                SYSTEM    SLOTS    TIME  LOWEST  HIGHEST         RATE
                local         1  10.0 s  10.0 s   11.0 s   100 kpix/s
                alpha         1  20.5 s  20.0 s   21.0 s  48.8 kpix/s
                together      6  4.00 s  4.00 s   4.00 s   250 kpix/s
                2.50 x one slot, efficiency 62 %; limited by CPU
                slots: 75 % busy, 15 % waiting, 10 % without tasks while the coordinator works
                all slots together: each 1.20 x slower than alone, because they share cores or memory
                link to all nodes: 2.20 MB/s
                forecast: 1 node 2.60 x
                more than 1 node do not help: limited by the link
                what would help: nodes that read the image themselves (skyfarm node --data), 3.57 x with \
                2 nodes; a link of 10.0 Gbit/s, 3.33 x with 2 nodes
                over 1.00 Gbit/s: 1 node 2.66 x, 2 nodes 3.33 x; more than 2 nodes do not help: limited by the \
                coordinator
                """ + "\n")
    }

    @Test(
        "the first line has the time of a large image, scaled from the synthetic one",
        arguments: [
            (1024, true, true, "about 9:35 on this machine, 6:40 with this node (scaled from 1024 x 1024)"),
            (1024, true, false, "about 9:35 on this machine (scaled from 1024 x 1024)"),
            (1024, false, true, "about 6:40 with this node (scaled from 1024 x 1024)"),
            (10240, true, true, "5.75 s on this machine, 4.00 s with this node"),
        ])
    func headline(size: Int, hasLocal: Bool, hasNode: Bool, expected: String) {
        var report = BenchReport(runs: 2, systems: systems.filter { $0.isLocal ? hasLocal : hasNode })
        var measurement = ScanMeasurementTests.measurement
        (measurement.image.isSynthetic, measurement.image.width, measurement.image.height) = (true, size, size)
        if !hasLocal { measurement.thisMachine = [] }
        report.scan = measurement.report
        #expect(report.text.hasPrefix("a 10240 x 10240 image takes \(expected)\n"), "\(report.text)")
    }

    @Test("without a node, forecasts for links assume nodes like this machine")
    func assumed() throws {
        var measurement = ScanMeasurementTests.measurement
        measurement.systems.removeLast()
        measurement.oneSlot.removeLast()
        (measurement.together, measurement.way) = (measurement.thisMachine, nil)
        #expect(measurement.report.links == nil && measurement.report.model == nil)
        measurement.links = [LinkRate(bitsPerSecond: 1e9), LinkRate(bitsPerSecond: 1e6)]
        measurement.coordinator = CoordinatorCost(
            readSecondsPerPixel: 2e-9, sendSecondsPerByte: 1e-9, bytesPerPixel: 4)
        let scan = measurement.report
        let model = try #require(scan.model)
        #expect(model.localSlots == 2 && model.slotsPerNode == 2 && model.slotSpeed == 1)
        // 1.1 million pixels with the halos, of 4 bytes, 6 ns each.
        #expect(abs(model.coordinatorSeconds - 1.1e6 * 6e-9) < 1e-12)
        #expect(scan.assumesNodes == true && scan.forecasts == nil && scan.enoughNodes == nil)
        // Four slots do what two do in half of the time; over 1 Mbit/s a band takes 3.7 s, and nodes hardly help.
        let forecasts = try #require(scan.links).map { $0.forecasts[0].seconds }
        let alone = model.forecast(nodes: 0).seconds
        #expect(forecasts[0] < 0.7 * alone && forecasts[1] > 0.7 * alone && forecasts[1] <= 1.001 * alone)
        var report = BenchReport(runs: 1, systems: measurement.systems)
        report.scan = scan
        #expect(
            report.text.contains(
                "coordinator: 2.00 ns to read a pixel for a node, 1.00 ns to send a byte, 4.00 bytes per pixel\n"))
        #expect(
            report.text.contains(
                "no node was measured: the forecasts assume nodes like this machine, of 2 slots\nover 1.00 Gbit/s: "))
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
