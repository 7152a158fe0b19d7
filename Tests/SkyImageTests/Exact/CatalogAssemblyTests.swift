import Testing

import SkyExtraction
import SkyFITS

@Suite("assembly of a catalogue")
struct CatalogAssemblyTests {
    let image = PixelRect(x: 0..<50, y: 0..<40)

    /// Sources without a neighbour, all of them open.
    private func assembly(count: Int) -> CatalogAssembly {
        assembly((0..<count).map { PixelRect(x: 0..<9, y: $0..<$0 + 9) })
    }

    /// Sources without a neighbour, whose apertures reach so far.
    private func assembly(_ boxes: [PixelRect]) -> CatalogAssembly {
        var batch = SourceBatch.uniform(count: boxes.count)
        for (index, box) in boxes.enumerated() { batch.open.append(index: index, box: box) }
        var parameters = ScanParameters()
        parameters.clean = nil
        return CatalogAssembly(batch, parameters: parameters)
    }

    private func result(for window: ApertureWindow) -> ApertureResult {
        let count = window.index.count
        let numbers = Array(repeating: 7.0, count: count)
        let flags = Array(repeating: Int16(1), count: count)
        var result = ApertureResult()
        result.photometry.kronRadius = numbers
        result.photometry.kronFlag = flags
        result.photometry.fluxAuto = numbers
        result.photometry.fluxErrAuto = numbers
        result.photometry.flagAuto = flags
        result.photometry.fluxAper = numbers
        result.photometry.fluxErrAper = numbers
        result.photometry.flagAper = flags
        result.photometry.fluxRadius = numbers
        return result
    }

    @Test("open sources share a window and take its numbers; one that needs more stays open")
    func rounds() throws {
        var assembly = assembly(count: 3)
        let window = try #require(assembly.windows().first)
        #expect(assembly.windows().count == 1 && window.index == [0, 1, 2])
        #expect(window.rect == PixelRect(x: 0..<9, y: 0..<11))
        var result = result(for: window)
        result.open.append(index: 1, box: PixelRect(x: 0..<30, y: 0..<30))
        try result.validate(for: window, in: image)
        assembly.add(result, of: window)
        #expect(assembly.sources.photometry.fluxAuto == [7, 7, 7])
        #expect(assembly.windows().map(\.index) == [[1]])
        #expect(assembly.windows().map(\.rect) == [PixelRect(x: 0..<30, y: 0..<30)])
    }

    private func box(_ x: Int, _ y: Int, width: Int = 100, height: Int = 100) -> PixelRect {
        PixelRect(x: x..<x + width, y: y..<y + height)
    }

    @Test("a window holds no more unneeded pixels than one more task costs")
    func strayPixels() {
        let limit = CatalogAssembly.strayLimit / 100
        #expect(assembly([box(0, 0), box(100 + limit, 0)]).windows().map(\.index) == [[0, 1]])
        #expect(assembly([box(0, 0), box(101 + limit, 0)]).windows().map(\.index) == [[0], [1]])
        // All of them together: each brings two thirds of what is allowed.
        let step = 100 + limit * 2 / 3
        #expect(assembly((0..<3).map { box($0 * step, 0) }).windows().map(\.index) == [[0, 1], [2]])
        // What boxes share counts for them: one window is read, not two.
        let shifted = [box(0, 0, width: 900, height: 900), box(300, 300, width: 900, height: 900)]
        #expect(assembly(shifted).windows().map(\.index) == [[0, 1]])
        #expect(assembly(shifted).windows(pixelLimit: 1_000_000).map(\.index) == [[0], [1]])
    }

    @Test("apertures above the limit share a window that one of them needs anyway, divided among the slots")
    func largeApertures() {
        // The last is within the first; the third is beside it.
        let boxes = [box(0, 0), box(10, 5), box(60, 10), box(20, 20, width: 9, height: 9)]
        let windows = assembly(boxes).windows(pixelLimit: 9999)
        #expect(windows.map(\.index) == [[0, 1, 3], [2]])
        #expect(windows.map(\.rect) == [PixelRect(x: 0..<110, y: 0..<105), PixelRect(x: 60..<160, y: 10..<110)])
        let many = assembly((0..<5).map { box($0, 0) } + [box(0, 0, width: 9, height: 9)])
        #expect(many.windows(pixelLimit: 9999, slots: 1).map(\.index) == [[0, 5, 1, 2, 3, 4]])
        #expect(many.windows(pixelLimit: 9999, slots: 2).map { Set($0.index) } == [[0, 2, 4], [1, 3, 5]])
        // No part has less to measure than to read.
        #expect(many.windows(pixelLimit: 9999, slots: 40).map(\.index.count).max() == 2)
        #expect(assembly(boxes).windows(slots: 40).count == 1)
    }

    @Test("a source joins the window that grows least, whatever the order")
    func leastGrowth() {
        // The third is nearer to the second; the fourth to the first, and no window goes on beyond its last row.
        let boxes = [box(0, 0), box(500, 1), box(400, 2), box(10, 3), box(10, 104), box(9000, 0)]
        #expect(assembly(boxes).windows().map(\.index) == [[0, 3], [5], [1, 2], [4]])
        #expect(assembly(boxes.reversed()).windows().map(\.index) == [[5, 2], [0], [4, 3], [1]])
    }

    @Test("sources that were given up are flagged as cut, and no others")
    func givenUp() throws {
        var assembly = assembly(count: 3)
        let window = try #require(assembly.windows().first)
        var result = result(for: window)
        result.open.append(index: 2, box: PixelRect(x: 0..<30, y: 0..<30))
        assembly.add(result, of: window)
        assembly.close()
        #expect(assembly.windows().isEmpty && assembly.open.count == 0)
        let photometry = assembly.sources.photometry
        for flags in [photometry.kronFlag, photometry.flagAuto, photometry.flagAper] { #expect(flags == [1, 1, 17]) }
    }

    @Test("measurements that cannot be those of a window are refused")
    func validation() throws {
        let window = try #require(assembly(count: 2).windows().first)
        let box = PixelRect(x: 0..<1, y: 0..<1)
        let changes: [(inout ApertureResult) -> Void] = [
            { $0.photometry.flagAper.append(1) }, { $0.photometry.kronRadius.removeLast() },
            { $0.open.append(index: 2, box: box) }, { $0.open.append(index: -1, box: box) },
            { $0.open.append(index: 0, box: PixelRect(x: 0..<51, y: 0..<1)) },
            { $0.open.append(index: 0, box: PixelRect(x: 3..<3, y: 0..<1)) },
            { $0.open.append(index: 0, box: PixelRect(x: Int(Int32.min)..<Int(Int32.max), y: 0..<1)) },
            { result in for _ in 0..<2 { result.open.append(index: 1, box: box) } }, { $0.open.index.append(0) },
        ]
        let good = result(for: window)
        try good.validate(for: window, in: image)
        for change in changes {
            var wrong = good
            change(&wrong)
            #expect(throws: ScanSetupError.self) { try wrong.validate(for: window, in: image) }
        }
    }
}
