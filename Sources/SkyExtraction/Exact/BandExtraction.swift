package import SkyFITS

/// Pass 2 over one band: finds and measures the sources that the band owns.
package struct BandExtraction: BandStep {
    package static let typeName = "sky.band/8"
    package static let costPerPixel = 1.0

    package var plan: BandPlan
    package var band: Int
    package var parameters: ScanParameters
    package var background: BackgroundSlice

    package init(plan: BandPlan, band: Int, parameters: ScanParameters, background: BackgroundModel) {
        self.plan = plan
        self.band = band
        self.parameters = parameters
        self.background = background.slice(rows: plan[band].window.y)
    }

    /// Scans the band's window, which `view` must hold.
    ///
    /// An island belongs to the band that contains its key. It is accepted if it is complete: the same in the extracted
    /// part of the window as in the whole image. Otherwise each of its parts in the core is reported as cut, unless the
    /// next band's window begins before the island and its margin: then it is incomplete because it ends in a later
    /// core, and the band of that core either contains all of it or reports it.
    package func scan(_ view: PixelView) throws -> WindowResult {
        try validate()
        try background.validate(for: plan)
        let next = band + 1 < plan.count ? plan[band + 1].window.y.lowerBound : nil
        let band = plan[band]
        let margin = IslandMargin(parameters: parameters)
        let extracted = band.extracted(margin)
        let selection = IslandSelection(of: band, extracted: extracted, margin: margin, image: plan.image)
        let scan = try IslandExtraction(
            view.cropped(to: band.window), extracting: extracted.height, background: background, parameters: parameters,
            selection: selection)
        var result = WindowResult()
        var owned: [Int] = []
        for (index, island) in scan.islands.enumerated() {
            if selection.contains(island.box) { owned.append(index) }
            if margin.isComplete(island.box, in: extracted, of: plan.image) { continue }
            if let next, next <= max(0, island.box.y.lowerBound - margin.y) { continue }
            for (x, y) in scan.parts(of: island, in: band.core.y) {
                result.cut.append(box: island.box, pixelX: x, y: y)
            }
        }
        result.batch = try scan.batch(ofIslands: owned)
        if parameters.returnsDetections { result.batch.detected = scan.detections(in: band.core) }
        if parameters.findsTrails { result.coarse = scan.coarseImage(rows: band.core.y) }
        return result
    }

    package func validate(_ output: WindowResult) throws(ScanSetupError) {
        try output.validate(in: plan.image)
        guard output.batch.keyRow.allSatisfy({ sector.y.contains(Int($0)) }) else {
            throw ScanSetupError("the response holds sources of other bands")
        }
        let isCoarse = output.coarse.map { $0.fits(image: plan.image, rows: plan[band].core.y) }
        guard isCoarse ?? true, (isCoarse != nil) == parameters.findsTrails else {
            throw ScanSetupError("the coarse image of the response does not fit the band")
        }
    }

    package var missing: WindowResult { WindowResult() }

    package static func sources(in output: WindowResult) -> SourceTable? { output.batch.sources }
}

extension Band {
    /// The part of the window in which sources are extracted. After the core it has only the rows that affect islands
    /// that end in the core; the other rows of that halo are for apertures.
    package func extracted(_ margin: IslandMargin) -> PixelRect {
        PixelRect(x: window.x, y: window.y.lowerBound..<min(window.y.upperBound, core.y.upperBound + margin.y))
    }
}
