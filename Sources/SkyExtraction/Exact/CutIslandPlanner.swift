package import SkyFITS

/// A window in which cut islands are extracted again.
package struct CutIslandWindow: Codable, Hashable, Sendable, Identifiable {
    package var id: Int
    /// The pixels that the scan reads.
    package var rect: PixelRect
    /// Columns of one pixel of each island to find.
    package var pixelX: [Int32]
    /// Rows of those pixels.
    package var pixelY: [Int32]
}

/// Decides in which windows the islands that bands cut are extracted again, until every island is complete.
///
/// Works in rounds: all bands, then all windows of the first round, and so on. So the windows, and with them the last
/// bits of the catalogue, do not depend on the order in which results arrive. It terminates, because the windows of the
/// last round are the whole image.
package struct CutIslandPlanner: Sendable {
    private let image: PixelRect
    private let margin: IslandMargin
    private var round = 0
    private var nextID = 0
    private var reports: [Int: CutIslands] = [:]
    private var batches: [Int: SourceBatch] = [:]
    private var expected: Set<Int>

    // Windows grow by a quarter on each cut side, so a few rounds are enough. The limit is for islands that are smaller
    // in a larger window, which could repeat without end.
    private static let lastRound = 24

    package init(plan: BandPlan, parameters: ScanParameters) {
        image = plan.image
        margin = IslandMargin(parameters: parameters)
        expected = Set(0..<plan.count)
    }

    /// True once every island is complete.
    package var isFinished: Bool { expected.isEmpty }

    /// Sources found in windows, in no particular order, each island once.
    package var accepted: SourceBatch {
        var result = SourceBatch()
        var seen = Set<IslandKey>()
        for (_, batch) in batches.sorted(by: { $0.key < $1.key }) {
            let keys = (0..<batch.count).map(batch.key)
            result.append(batch.selecting(batch.sources.x.indices.filter { !seen.contains(keys[$0]) }))
            seen.formUnion(keys)
        }
        return result
    }

    /// Adds the islands that band `band` reported as cut; returns the windows to scan next.
    package mutating func finish(band: Int, cut: CutIslands) -> [CutIslandWindow] {
        guard round == 0, expected.remove(band) != nil else { return [] }
        reports[band] = cut
        return nextRoundIfComplete()
    }

    /// Adds the result of a window; returns the windows to scan next.
    package mutating func finish(window: Int, result: WindowResult) -> [CutIslandWindow] {
        guard round > 0, expected.remove(window) != nil else { return [] }
        batches[window] = result.batch
        reports[window] = result.cut
        return nextRoundIfComplete()
    }

    private mutating func nextRoundIfComplete() -> [CutIslandWindow] {
        guard expected.isEmpty else { return [] }
        var boxes: [TouchingBoxes.Box] = []
        for (_, cut) in reports.sorted(by: { $0.key < $1.key }) {
            for index in 0..<cut.count {
                let box = round < Self.lastRound ? cut.box(index) : image
                boxes.append(TouchingBoxes.Box(rect: box, members: [boxes.count]))
            }
        }
        let pixels = reports.sorted { $0.key < $1.key }.map(\.value)
        let xs = pixels.flatMap(\.pixelX)
        let ys = pixels.flatMap(\.pixelY)
        reports = [:]
        round += 1
        // Boxes at most two pixels apart may be parts of one island.
        let windows = TouchingBoxes(boxes, gap: 2).merged().map { box in
            defer { nextID += 1 }
            return CutIslandWindow(
                id: nextID, rect: box.rect.expanded(x: margin.x, y: margin.y).clamped(to: image),
                pixelX: xs.selecting(box.members), pixelY: ys.selecting(box.members))
        }
        expected = Set(windows.map(\.id))
        return windows
    }
}
