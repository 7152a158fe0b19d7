import Testing

@testable import SkyImage

@Suite("band plans")
struct BandPlanTests {
    @Test(
        "cores tile the image in multiples of the mesh height",
        arguments: [(1, 1, 64, 1), (100, 1000, 64, 1), (100, 1000, 64, 65), (37, 513, 50, 200), (5, 64, 200, 10)])
    func tiling(width: Int, height: Int, mesh: Int, rows: Int) throws {
        let plan = try BandPlan(width: width, height: height, meshHeight: mesh, requestedRows: rows)
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
        let small = try BandPlan(width: 300, height: 200, meshHeight: 64)
        #expect(small.count == 1)
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
        let whole = try BandPlan(width: 10_240, height: 10_240, parameters: parameters)
        #expect(whole.count == 1)
        try whole.validate()
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
