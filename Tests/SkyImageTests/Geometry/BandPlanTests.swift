import Testing

import SkyExtraction
import SkyFITS

@Suite("band plans")
struct BandPlanTests {
    @Test(
        "cores tile the image in multiples of the mesh height",
        arguments: [
            (1, 1, 64, 1), (100, 1000, 64, 1), (100, 1000, 64, 65), (37, 513, 50, 200), (5, 64, 200, 10),
            (100, 10_240, 64, nil), (100, 10_239, 64, nil), (9, 9999, 50, nil), (3, 30_001, 1000, nil),
            (3, 8192, 1, nil), (2, 9000, 9000, nil), (2, 9000, 4500, nil),
        ] as [(Int, Int, Int, Int?)])
    func tiling(width: Int, height: Int, mesh: Int, rows: Int?) throws {
        let plan = try BandPlan(width: width, height: height, meshHeight: mesh, requestedRows: rows)
        try plan.validate()
        var next = 0
        for index in 0..<plan.count {
            let band = plan[index]
            #expect(band.core.y.lowerBound == next && band.core.x == 0..<width)
            #expect(next % mesh == 0 && !band.core.isEmpty && plan.image.contains(band.window))
            #expect(band.window.y.lowerBound == max(0, next - 64))
            for row in band.core.y { #expect(plan.owner(ofRow: row).index == index) }
            next = band.core.y.upperBound
        }
        #expect(next == height)
    }

    @Test("without a request bands are bounded by memory and enough to be shared out")
    func automatic() throws {
        let large = try BandPlan(width: 10_240, height: 10_240, meshHeight: 64)
        #expect(large.count >= 8 && large[1].window.area <= 13_000_000)
        let wide = try BandPlan(width: 200_000, height: 200_000, meshHeight: 64)
        #expect(wide.rows == 64)
    }

    @Test(
        "an image of up to 4 Mi pixels is one band, unless its rows are given",
        arguments: [(300, 200), (2048, 2048), (1, 4 << 20)])
    func whole(width: Int, height: Int) throws {
        for slots in [1, 4, 40] {
            #expect(try BandPlan(width: width, height: height, meshHeight: 64, slots: slots).count == 1)
        }
        let requested = try BandPlan(width: width, height: height, meshHeight: 64, requestedRows: 64, slots: 9)
        #expect(requested.count == (height + 63) / 64)
    }

    @Test(
        "one slot gets the fewest bands that memory allows, and no low ones",
        arguments: [(3000, 3000, 1), (4096, 4096, 2), (10_240, 10_240, 10), (1000, 33_333, 3)])
    func oneSlot(width: Int, height: Int, count: Int) throws {
        let plan = try BandPlan(width: width, height: height, meshHeight: 64, slots: 1)
        #expect(plan.count == count && plan.lowCount == 0)
        for slots in 2...64 {
            #expect(try BandPlan(width: width, height: height, meshHeight: 64, slots: slots).count >= count)
        }
    }

    @Test("more slots get as many bands as they can use", arguments: [2, 3, 4, 8, 16, 40, 80])
    func manySlots(slots: Int) throws {
        let plan = try BandPlan(width: 10_240, height: 10_240, meshHeight: 64, slots: slots)
        #expect(plan.count >= slots)
        // Equal slots, each of which takes the next band when it becomes free.
        for order in [Array(0..<plan.count), (0..<plan.count).reversed()] {
            var ends = [Int](repeating: 0, count: slots)
            for band in order {
                let first = ends.indices.min { ends[$0] < ends[$1] } ?? 0
                ends[first] += plan[band].window.height
            }
            let used = Double(ends.reduce(0, +)) / Double(slots * (ends.max() ?? 0))
            #expect(used >= 0.8, "\(plan)")
        }
    }

    @Test("a source of many pixels needs a high halo, and so tall bands")
    func highHalo() throws {
        var parameters = ScanParameters()
        let usual = try BandPlan(width: 10_240, height: 10_240, parameters: parameters)
        #expect(usual == (try BandPlan(width: 10_240, height: 10_240, meshHeight: 64)))
        parameters.minArea = 200
        let high = try BandPlan(width: 10_240, height: 10_240, parameters: parameters)
        #expect(high.halo == 204 && high.rows >= 1400 && high.count > 4)
        #expect(high[1].window.y == high.rows - 204..<2 * high.rows + 204)
        parameters.minArea = 1_000_000
        for width in [1, 100, 10_240, 30_000, 200_000] {
            let highest = try BandPlan(width: width, height: 3 * width, parameters: parameters)
            try highest.validate()
            let area = (0..<highest.count).map { highest[$0].window.area }.max() ?? 0
            // With weights and mask 9 bytes a pixel, of 1008 MiB that a node takes.
            #expect(area <= 110_000_000 && highest.halo >= 64, "\(width)")
        }
    }

    @Test(
        "of tall bands those at both ends of the image are halved, unless their rows are given",
        arguments: [8192, 8200, 9000, 10_240, 33_333])
    func low(height: Int) throws {
        let plan = try BandPlan(width: 1000, height: height, meshHeight: 64)
        let heights = (0..<plan.count).map { plan[$0].core.height }
        #expect(plan.lowCount > 0 && plan.rows >= 1024 && (plan.rows / 2..<plan.rows / 2 + 64).contains(plan.lowRows))
        #expect(heights.prefix(plan.lowCount).allSatisfy { $0 == plan.lowRows })
        #expect(heights.suffix(plan.lowCount).dropLast().allSatisfy { $0 == plan.lowRows })
        #expect((1...plan.lowRows).contains(heights.last ?? 0))
        #expect(heights.dropFirst(plan.lowCount).dropLast(plan.lowCount + 1).allSatisfy { $0 == plan.rows })
        let requested = try BandPlan(width: 1000, height: height, meshHeight: 64, requestedRows: plan.rows)
        #expect(requested.lowCount == 0 && requested.count < plan.count)
        for (width, height, mesh) in [(1000, 4096, 64), (1000, 9000, 2000), (30_000, 30_000, 64)] {
            #expect(try BandPlan(width: width, height: height, meshHeight: mesh).lowCount == 0)
        }
        #expect(try BandPlan(width: 1000, height: 9000, meshHeight: 1500).lowCount == 0)
        #expect(try BandPlan(width: 1000, height: 9000, meshHeight: 700).lowCount == 1)
    }

    @Test(
        "nonsense is refused in one line",
        arguments: [(0, 5, 64, nil), (5, -1, 64, nil), (5, 5, 0, nil), (5, 5, 64, 0), (600_000, 600_000, 1024, nil)]
            as [(Int, Int, Int, Int?)])
    func refusal(width: Int, height: Int, mesh: Int, rows: Int?) {
        let error = #expect(throws: ScanSetupError.self) {
            try BandPlan(width: width, height: height, meshHeight: mesh, requestedRows: rows)
        }
        #expect(error?.description.contains("\n") == false)
    }
}
