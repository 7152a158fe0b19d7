import Foundation

@testable import SkyImage
@testable import SkyScan

/// A small scan, of which the targets of tasks and outputs take theirs: 96 by 160 pixels in bands of 32 rows.
struct SkySeeds: Sendable {
    let parameters: ScanParameters
    let plan: BandPlan
    let pixels: [Float]
    let meshes: [MeshStatistics]
    let background: BackgroundModel
    /// What the first two bands hold, put together.
    let catalogue: CatalogAssembly

    static let small: SkySeeds = {
        do { return try SkySeeds() } catch { preconditionFailure("the small scan fails: \(error)") }
    }()

    private init() throws {
        var parameters = ScanParameters()
        (parameters.meshWidth, parameters.meshHeight) = (32, 32)
        let (width, height) = (96, 160)
        // Noise of a simple kind, and some sources; the last is one that a band's window cuts.
        var state: UInt32 = 1
        var pixels = (0..<width * height).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return 100 + Float(state >> 24) / 64
        }
        for (x, y, size) in [(20.5, 16.0, 2.0), (60, 40, 3), (70, 90, 2), (40, 100, 22)] {
            for row in 0..<height {
                for column in 0..<width {
                    let (dx, dy) = ((Double(column) - x) / size, (Double(row) - y) / size)
                    pixels[row * width + column] += Float(400 * exp(-(dx * dx + dy * dy) / 2))
                }
            }
        }
        let plan = try BandPlan(width: width, height: height, meshHeight: 32, requestedRows: 32)
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        let meshes = try pixels.withUnsafeBufferPointer { buffer in
            let view = try PixelView(rect: plan.image, pixels: buffer)
            return try (0..<plan.count).map {
                try MeshStatistics(
                    measuring: view.cropped(to: plan[$0].core), band: plan[$0], parameters: parameters)
            }
        }
        for mesh in meshes { try accumulator.add(mesh) }
        (self.parameters, self.plan, self.pixels, self.meshes) = (parameters, plan, pixels, meshes)
        let background = try accumulator.reduce()
        var batch = SourceBatch()
        try pixels.withUnsafeBufferPointer { buffer in
            let view = try PixelView(rect: plan.image, pixels: buffer)
            for band in 0..<2 {
                let scan = BandScan(plan: plan, band: band, parameters: parameters, background: background)
                batch.append(try scan.scan(view.cropped(to: plan[band].window)).batch)
            }
        }
        self.background = background
        catalogue = CatalogAssembly(batch, parameters: parameters)
        precondition(catalogue.sources.count >= 2)
    }

    func mesh(_ band: Int) -> MeshTask {
        MeshTask(plan: plan, id: band, parameters: parameters, window: window(plan[band].window))
    }

    func band(_ band: Int) -> BandTask {
        BandTask(
            scan: BandScan(plan: plan, band: band, parameters: parameters, background: background),
            window: window(plan[band].window))
    }

    func island(_ rect: PixelRect, x: Int32, y: Int32) -> CutIslandTask {
        let window = CutIslandWindow(id: 3, rect: rect, pixelX: [x], pixelY: [y])
        return CutIslandTask(
            scan: CutIslandScan(plan: plan, rescan: window, parameters: parameters, background: background),
            window: self.window(rect))
    }

    /// The photometry of two sources.
    func aperture(_ rect: PixelRect) -> ApertureTask {
        var window = ApertureWindow(rect: rect)
        window.index = [0, 1]
        (window.x, window.y) = ([20.5, 60], [16, 40])
        (window.a, window.b, window.theta) = ([2, 3], [2, 2.5], [0, 0.5])
        return ApertureTask(
            id: 0, scan: ApertureScan(window: window, parameters: parameters, background: background),
            window: self.window(rect))
    }

    private func window(_ rect: PixelRect) -> WindowPixels {
        WindowPixels(rect: rect, hasWeights: false, hasMask: false)
    }

    /// The pixels of a window as they travel.
    func samples(_ rect: PixelRect) -> [Float] {
        rect.y.flatMap { row in pixels[row * plan.width + rect.x.lowerBound..<row * plan.width + rect.x.upperBound] }
    }
}
