import Foundation
import ScanBasics
import Synchronization
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement
import SkyTestSupport

@Suite("scans of windows")
struct IslandExtractionTests {
    let image: TestImage
    let plan: BandPlan
    let model: BackgroundModel
    let parameters = ScanParameters()

    init() throws {
        var random = SplitMix64(seed: 9)
        var pixels = (0..<100 * 300).map { _ in Float.random(in: 0..<9, using: &random) }
        for row in 100..<260 { for column in 40..<44 { pixels[row * 100 + column] += 500 } }
        image = TestImage(width: 100, height: 300, pixels: pixels)
        plan = try BandPlan(width: 100, height: 300, meshHeight: 64, requestedRows: 64)
        let scan = try SerialScan(width: 100, height: 300, parameters: parameters, requestedRows: 64)
        model = try image.withView(scan.run).background
    }

    @Test("a bar over four bands is reported by those that the next one cannot replace, and found whole in one window")
    func cutBar() throws {
        var planner = CutIslandPlanner(plan: plan, parameters: parameters)
        var windows: [CutIslandWindow] = []
        for band in 0..<plan.count {
            let scan = BandExtraction(plan: plan, band: band, parameters: parameters, background: model)
            let result = try image.withView(scan.scan)
            try result.validate(in: plan.image)
            #expect(result.cut.count == ((2...4).contains(band) ? 1 : 0))
            windows += planner.finish(band: band, cut: result.cut)
        }
        #expect(windows.count == 1)
        let scan = CutIslandExtraction(plan: plan, rescan: windows[0], parameters: parameters, background: model)
        let result = try image.withView(scan.scan)
        #expect(result.batch.count >= 1 && result.cut.count == 0 && result.batch.keyRow.allSatisfy { $0 >= 258 })
    }

    /// Three islands of two stars each; in one of them they are too near to be divided.
    private func blends() -> TestImage {
        var random = SplitMix64(seed: 3)
        var pixels = (0..<100 * 300).map { _ in Float.random(in: 0..<9, using: &random) }
        for (x, y) in [(15, 20), (20, 20), (70, 50), (74, 53), (41, 200), (46, 203)] {
            for row in y - 6...y + 6 {
                for column in x - 6...x + 6 {
                    let distance = Double((row - y) * (row - y) + (column - x) * (column - x))
                    pixels[row * 100 + column] += Float(900 * exp(-distance / 5))
                }
            }
        }
        return TestImage(width: 100, height: 300, pixels: pixels)
    }

    @Test(
        "islands that are not wanted keep their boxes and pixels, and the others their sources, wherever the window is",
        arguments: [PixelRect(x: 0..<100, y: 0..<300), PixelRect(x: 3..<97, y: 5..<290)])
    func selection(rect: PixelRect) throws {
        let selection = IslandSelection(
            in: rect, containing: [(41, 200)], margin: IslandMargin(parameters: parameters), image: plan.image)
        let serial = try SerialScan(width: 100, height: 300, parameters: parameters)
        let blends = blends()
        let background = try blends.withView(serial.run).background.slice(rows: rect.y)
        try blends.withView { view in
            func catalog(_ selection: IslandSelection?) throws -> (islands: [Island], wanted: SourceTable) {
                let window = try PreparedPixels.subtracting(background, from: view.cropped(to: rect))
                let catalog = try IslandExtraction(window, parameters: parameters, selection: selection)
                let wanted = catalog.islands.filter { $0.box.contains(x: 41, y: 200) }
                return (catalog.islands, catalog.table(of: wanted.map(\.objects)))
            }
            let (whole, part) = (try catalog(nil), try catalog(selection))
            #expect(whole.islands.count == 3 && part.islands.map(\.box) == whole.islands.map(\.box))
            #expect(part.islands.map(\.key) == whole.islands.map(\.key))
            #expect(whole.wanted.count == 2 && part.wanted == whole.wanted)
            #expect(whole.islands.map(\.objects.count).sorted() == [1, 2, 2])
            #expect(part.islands.map(\.objects.count).sorted() == [1, 1, 2])
        }
    }

    private final class Looks: Sendable {
        let count = Atomic(0)
    }

    @Test("a scan that is cancelled ends before its next step, and before its next source")
    func cancelled() throws {
        var whole = plan
        (whole.rows, whole.lowRows) = (plan.height, plan.height)
        let scan = ImageExtraction(plan: whole, parameters: parameters)
        func run(cancelledAt limit: Int) throws -> (looks: Int, sources: Int?) {
            let looks = Looks()
            let result = try image.withView { view in
                var view = view
                view.isCancelled = { looks.count.add(1, ordering: .relaxed).newValue >= limit }
                return try? scan.scan(view)
            }
            return (looks.count.load(ordering: .relaxed), result?.window.batch.sources.count)
        }
        let complete = try run(cancelledAt: .max)
        let sources = try #require(complete.sources)
        #expect(sources > 0 && complete.looks >= sources + 3)
        for limit in 1...complete.looks {
            let ended = try run(cancelledAt: limit)
            #expect(ended.looks == limit && ended.sources == nil)
        }
    }

    @Test("a bar over two bands that begins in the second one's window is the second one's", arguments: [3, 60])
    func straddlingBar(rowsAfterSeam: Int) throws {
        var image = image
        for row in 100..<260 { for column in 40..<44 { image.pixels[row * 100 + column] -= 500 } }
        for row in 96..<128 + rowsAfterSeam { for column in 40..<44 { image.pixels[row * 100 + column] += 500 } }
        let results = try (0..<plan.count).map { band in
            try image.withView(
                BandExtraction(plan: plan, band: band, parameters: parameters, background: model).scan)
        }
        #expect(results.map(\.cut.count) == [0, 0, 0, 0, 0])
        let bars = results.map { $0.batch.sources.npix.count { $0 > 100 } }
        #expect(bars[2] >= 1 && bars.enumerated().allSatisfy { $0 == 2 || $1 == 0 })
    }

    @Test(
        "a thin source is found whatever bands cut it, and however many pixels a source needs",
        arguments: [(63..<191, 128), (63..<131, 68), (63..<129, 66), (40..<290, 250), (1..<300, 299)])
    func thinSource(rows: Range<Int>, minArea: Int) throws {
        var random = SplitMix64(seed: 9)
        var pixels = (0..<100 * 300).map { _ in Float.random(in: 0..<9, using: &random) }
        for row in rows { pixels[row * 100 + 40] += 500 }
        let image = TestImage(width: 100, height: 300, pixels: pixels)
        var parameters = parameters
        // Only the column.
        (parameters.filter, parameters.threshold, parameters.minArea) = (.none, 5, minArea)
        let reference = try WholeImageSEP(image: image, parameters: parameters).run()
        #expect(reference.count == 1)
        let scan = try SerialScan(width: 100, height: 300, parameters: parameters, requestedRows: 64)
        #expect(try image.withView(scan.run).sources.differences(to: reference) == [])
    }

    @Test("bands of different heights make the same catalogue as the whole image")
    func lowBands() throws {
        var random = SplitMix64(seed: 5)
        let (width, height) = (48, 8300)
        var pixels = (0..<width * height).map { _ in Float.random(in: 0..<9, using: &random) }
        for source in 0..<1200 {
            let x = Int.random(in: 2..<width - 3, using: &random)
            let y = Int.random(in: 2..<height - 90, using: &random)
            let rows = source % 20 == 0 ? 1..<Int.random(in: 20..<90, using: &random) : 0..<3
            for row in rows { for column in 0..<3 { pixels[(y + row) * width + x + column] += 60 } }
        }
        let image = TestImage(width: width, height: height, pixels: pixels)
        var scan = try SerialScan(width: width, height: height, parameters: parameters, requestedRows: 1038)
        // As in a large image of that height.
        scan.plan.lowCount = 2
        try scan.plan.validate()
        let result = try image.withView(scan.run)
        let reference = try WholeImageSEP(image: image, parameters: parameters).run()
        #expect(result.sources.differences(to: reference) == [] && reference.count > 500)
    }

    @Test("after the core of a band only the rows are extracted that decide about its islands")
    func extractedRows() throws {
        let margin = IslandMargin(parameters: parameters)
        let rows = (0..<plan.count).map { plan[$0].extracted(margin).y }
        #expect(rows == [0..<68, 0..<132, 64..<196, 128..<260, 192..<300])
        // Islands that end in the core are then judged by their first rows alone.
        var widest = parameters
        widest.kernel = try ConvolutionKernel(
            width: 1, height: ConvolutionKernel.largestSide,
            values: [Float](repeating: 1, count: ConvolutionKernel.largestSide))
        #expect(IslandMargin(parameters: widest).y <= BandPlan.defaultHalo)
    }

    @Test("samples that may be overwritten are, and nothing else changes", arguments: [nil, 64..<71])
    func overwriting(maskedRows: Range<Int>?) throws {
        var image = image
        if let maskedRows {
            image.mask = (0..<image.pixels.count).map { maskedRows.contains($0 / image.width) ? 1 : 0 }
        }
        let serial = try SerialScan(width: 100, height: 300, parameters: parameters, requestedRows: 64)
        let model = try image.withView(serial.run).background
        let whole = try BandPlan(width: 100, height: 300, meshHeight: 64, requestedRows: 300)
        let scan = BandExtraction(plan: whole, band: 0, parameters: parameters, background: model)
        let expected = try image.withView(scan.scan)
        #expect(expected.batch.count > 0)
        for isOverwritable in [false, true] {
            var copy = image
            let result = try copy.withMutableView { view in
                var view = view
                view.isOverwritable = isOverwritable
                return try scan.scan(view)
            }
            #expect(result == expected && (copy.pixels != image.pixels) == isOverwritable)
        }
    }

    @Test("samples between which are others are not overwritten")
    func cropping() throws {
        var copy = image
        let rect = PixelRect(x: 20..<60, y: 90..<200)
        try copy.withMutableView { view in
            var view = view
            view.isOverwritable = true
            _ = try PreparedPixels.subtracting(model.slice(rows: rect.y), from: view.cropped(to: rect)).rect
        }
        #expect(copy.pixels == image.pixels)
    }

    @Test("tasks and results are unchanged by coding and decoding")
    func coding() throws {
        let scan = BandExtraction(plan: plan, band: 1, parameters: parameters, background: model)
        let copy = try JSONDecoder().decode(BandExtraction.self, from: JSONEncoder().encode(scan))
        #expect(copy == scan)
        #expect(try image.withView(copy.scan) == image.withView(scan.scan))
    }

    @Test("work that does not fit its image is refused")
    func refusal() throws {
        let good = BandExtraction(plan: plan, band: 1, parameters: parameters, background: model)
        let changes: [(inout BandExtraction) -> Void] = [
            { $0.band = 9 }, { $0.band = -1 }, { $0.plan.rows = 0 }, { $0.plan.height = 301 },
            { $0.parameters.minArea = 0 }, { $0.parameters.noise = .map }, { $0.background.columns = 7 },
            { $0.background.firstRow = 4 }, { $0.background.level.values.removeLast() },
        ]
        for change in changes {
            var scan = good
            change(&scan)
            #expect(throws: ScanSetupError.self) { try image.withView(scan.scan) }
        }
    }

    @Test("results whose columns do not fit are refused")
    func validation() throws {
        let whole = try BandPlan(width: 100, height: 300, meshHeight: 64, requestedRows: 300)
        let scan = BandExtraction(plan: whole, band: 0, parameters: parameters, background: model)
        var good = try image.withView(scan.scan)
        #expect(good.batch.count > 0)
        good.batch.open = OpenApertures()
        try good.validate(in: plan.image)
        let changes: [(inout WindowResult) -> Void] = [
            { $0.batch.keyRow.append(1) }, { $0.batch.mthresh.append(1) }, { $0.batch.sources.npix.append(1) },
            { $0.batch.open.append(index: 99999, box: PixelRect(x: 0..<1, y: 0..<1)) },
            { $0.batch.sources.photometry.fluxAper.append(1) },
            { $0.batch.open.append(index: 0, box: PixelRect(x: 0..<101, y: 0..<1)) },
            { $0.batch.open.append(index: 0, box: PixelRect(x: -1..<1, y: 0..<1)) },
            { $0.batch.open.append(index: 0, box: PixelRect(x: 0..<1, y: 0..<Int(Int32.max))) },
            { result in
                for _ in 0..<2 { result.batch.open.append(index: 0, box: PixelRect(x: 0..<1, y: 0..<1)) }
            },
            { $0.cut.append(box: PixelRect(x: 0..<101, y: 0..<1), pixelX: 0, y: 0) },
            { $0.cut.append(box: PixelRect(x: 0..<1, y: -1..<1), pixelX: 0, y: 0) },
            { $0.cut.append(box: PixelRect(x: 0..<1, y: 0..<1), pixelX: 100, y: 0) },
            { $0.cut.append(box: PixelRect(x: 1..<1, y: 0..<1), pixelX: 0, y: 0) },
        ]
        for change in changes {
            var result = good
            change(&result)
            #expect(throws: ScanSetupError.self) { try result.validate(in: plan.image) }
        }
    }
}
