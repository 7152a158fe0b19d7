import Testing

import SkyExtraction
import SkyFITS

@Suite("planner of cut islands")
struct CutIslandPlannerTests {
    let plan: BandPlan
    let parameters = ScanParameters()

    init() throws {
        plan = try BandPlan(width: 1000, height: 256, meshHeight: 64, requestedRows: 64)
    }

    private func cut(_ reports: (x: Range<Int>, y: Range<Int>, pixel: (Int, Int))...) -> CutIslands {
        var cut = CutIslands()
        for report in reports {
            cut.append(box: PixelRect(x: report.x, y: report.y), pixelX: report.pixel.0, y: report.pixel.1)
        }
        return cut
    }

    private func planner(after first: CutIslands) -> (CutIslandPlanner, [CutIslandWindow]) {
        var planner = CutIslandPlanner(plan: plan, parameters: parameters)
        var windows = planner.finish(band: 0, cut: first)
        for band in 1..<plan.count {
            #expect(windows.isEmpty && !planner.isFinished)
            windows = planner.finish(band: band, cut: CutIslands())
        }
        return (planner, windows)
    }

    private func result(key: (Int32, Int32), x: Double) -> WindowResult {
        var result = WindowResult()
        result.batch = .uniform(count: 1)
        result.batch.sources.x = [x]
        (result.batch.keyRow, result.batch.keyColumn) = ([key.0], [key.1])
        return result
    }

    @Test("without cut islands the last band ends it")
    func nothingCut() {
        let (planner, windows) = planner(after: CutIslands())
        #expect(windows.isEmpty && planner.isFinished && planner.accepted.count == 0)
    }

    @Test("reports of one island share a window with a margin, cut at the image's edge")
    func merging() {
        let (_, windows) = planner(
            after: cut((0..<30, 40..<128, (3, 60)), (20..<50, 0..<64, (30, 62)), (400..<420, 90..<128, (401, 91))))
        #expect(windows.map(\.id) == [0, 1])
        #expect(windows[0].rect == PixelRect(x: 0..<52, y: 0..<132))
        #expect(windows[0].pixelX == [3, 30] && windows[0].pixelY == [60, 62])
        #expect(windows[1].rect == PixelRect(x: 398..<422, y: 86..<132))
    }

    @Test("the windows do not depend on the order of the bands")
    func order() {
        let reports = (0..<4).map { cut(($0 * 30..<$0 * 30 + 31, 10..<100, ($0 * 30, 50))) }
        func windows(_ order: [Int]) -> [CutIslandWindow] {
            var planner = CutIslandPlanner(plan: plan, parameters: parameters)
            return order.flatMap { planner.finish(band: $0, cut: reports[$0]) }
        }
        #expect(windows([0, 1, 2, 3]) == windows([2, 0, 3, 1]))
    }

    @Test("an island that is still cut gets a larger window in the next round, which waits for all")
    func growth() {
        var (planner, windows) = planner(
            after: cut((0..<10, 0..<20, (1, 1)), (500..<510, 0..<20, (501, 1))))
        #expect(windows.count == 2)
        var first = WindowResult()
        first.cut = cut((0..<10, 0..<90, (1, 1)))
        #expect(planner.finish(window: 0, result: first).isEmpty && !planner.isFinished)
        #expect(planner.finish(window: 0, result: first).isEmpty, "a repeated result is ignored")
        windows = planner.finish(window: 1, result: result(key: (19, 509), x: 505))
        #expect(windows.map(\.id) == [2] && windows[0].rect == PixelRect(x: 0..<12, y: 0..<94))
        #expect(planner.finish(window: 2, result: result(key: (80, 5), x: 5)).isEmpty)
        #expect(planner.isFinished && Set(planner.accepted.sources.x) == [505, 5])
    }

    @Test("an island that two windows show counts once: from the first window")
    func duplicates() {
        var (planner, _) = planner(after: cut((0..<10, 0..<20, (1, 1)), (500..<510, 0..<20, (501, 1))))
        _ = planner.finish(window: 1, result: result(key: (19, 9), x: 2))
        _ = planner.finish(window: 0, result: result(key: (19, 9), x: 1))
        #expect(planner.accepted.sources.x == [1])
    }

    @Test("an island that is never complete ends in a window of the whole image")
    func termination() {
        var (planner, windows) = planner(after: cut((0..<10, 0..<20, (1, 1))))
        var rounds = 0
        while let window = windows.first, rounds < 100 {
            rounds += 1
            if window.rect == plan.image { break }
            var result = WindowResult()
            result.cut = cut((0..<10, 0..<20, (1, 1)))
            windows = planner.finish(window: window.id, result: result)
        }
        #expect(windows.first?.rect == plan.image)
    }
}
