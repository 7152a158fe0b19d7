package import SkyFITS

/// A second scan of islands that bands cut, in a window expected to contain them.
package struct CutIslandExtraction: WindowStep {
    package static let typeName = "sky.island/8"
    package static let costPerPixel = 1.0

    package var plan: BandPlan
    /// Which pixels are scanned, and for which islands.
    package var rescan: CutIslandWindow
    package var parameters: ScanParameters
    package var background: BackgroundSlice

    package init(plan: BandPlan, rescan: CutIslandWindow, parameters: ScanParameters, background: BackgroundModel) {
        self.plan = plan
        self.rescan = rescan
        self.parameters = parameters
        self.background = background.slice(rows: rescan.rect.y)
    }

    /// Scans the window, which `view` must hold.
    ///
    /// An island is accepted if it contains a reported pixel, is complete here, and is not complete in the extracted
    /// part of the window of its owner band, which has emitted it otherwise. An island that is still cut is
    /// reported with an enlarged box.
    package func scan(_ view: PixelView) throws -> WindowResult {
        try plan.validate()
        try background.validate(for: plan)
        let window = rescan.rect
        let margin = IslandMargin(parameters: parameters)
        let targets = Set(zip(rescan.pixelX, rescan.pixelY).map { Target(x: Int($0), y: Int($1)) })
        let selection = IslandSelection(
            in: window, containing: targets.map { ($0.x, $0.y) }, margin: margin, image: plan.image)
        let scan = try IslandExtraction(
            view.cropped(to: window), background: background, parameters: parameters, selection: selection)
        var result = WindowResult()
        var accepted: [Int] = []
        for (index, island) in scan.islands.enumerated() {
            let isComplete = margin.isComplete(island.box, in: window, of: plan.image)
            let owner = plan.owner(ofRow: Int(island.key.row))
            if isComplete, margin.isComplete(island.box, in: owner.extracted(margin), of: plan.image) { continue }
            guard selection.holdsPixel(island.box) else { continue }
            var hits: [Target] = []
            scan.forEachPixel(of: island) { x, y in
                if targets.contains(Target(x: x, y: y)) { hits.append(Target(x: x, y: y)) }
                return !(isComplete && !hits.isEmpty)
            }
            if hits.isEmpty { continue }
            if isComplete {
                accepted.append(index)
            } else {
                let box = margin.grown(island.box, cutBy: window, of: plan.image)
                for hit in hits { result.cut.append(box: box, pixelX: hit.x, y: hit.y) }
            }
        }
        result.batch = try scan.batch(ofIslands: accepted)
        return result
    }

    package func validate(_ output: WindowResult) throws(ScanSetupError) { try output.validate(in: plan.image) }

    package var subject: CutIslandWindow { rescan }
    package var rect: PixelRect { rescan.rect }
    package var missing: WindowResult { WindowResult() }

    private struct Target: Hashable {
        var x: Int
        var y: Int
    }
}

extension IslandMargin {
    /// The box, with each side that `window` cuts moved outwards by a quarter of the box's size, at least by 64 pixels.
    package func grown(_ box: PixelRect, cutBy window: PixelRect, of image: PixelRect) -> PixelRect {
        let step = max(64, (box.width + box.height) / 4)
        func range(_ box: Range<Int>, _ margin: Int, _ window: Range<Int>) -> Range<Int> {
            let low = box.lowerBound - margin < window.lowerBound ? box.lowerBound - step : box.lowerBound
            let high = box.upperBound + margin > window.upperBound ? box.upperBound + step : box.upperBound
            return low..<high
        }
        return PixelRect(x: range(box.x, x, window.x), y: range(box.y, y, window.y)).clamped(to: image)
    }
}
