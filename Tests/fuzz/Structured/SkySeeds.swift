import Foundation
import ScanCluster

@testable import SkyExtraction
@testable import SkyFITS
@testable import SkyMeasurement
@testable import SkyScan

/// A small scan that gives real tasks and outputs: 96 by 160 pixels in bands of 32 rows.
struct SkySeeds: Sendable {
    let parameters: ScanParameters
    let plan: BandPlan
    let pixels: [Float]
    let hasWeightsAndMask: Bool
    let meshes: [MeshStatistics]
    let background: BackgroundModel
    /// What the first two bands hold, put together.
    let catalogue: CatalogAssembly

    /// With default parameters but for the mesh.
    static let small = all[0]

    /// With columns that are measured once all sources are known.
    static let measured = all[4]

    /// Scans of the same image that lead through different parts of the kernel.
    static let all: [SkySeeds] = {
        var plain = ScanParameters()
        (plain.meshWidth, plain.meshHeight) = (32, 32)
        var matched = plain
        (matched.filter, matched.noise) = (.matched, .map)
        var sensitive = plain
        (sensitive.filter, sensitive.noise, sensitive.minArea) = (.none, .map, 1)
        (sensitive.threshold, sensitive.deblendLevels, sensitive.deblendContrast) = (0.3, 64, 0)
        var weighted = plain
        weighted.noise = .weights
        var measured = plain
        var request = MeasurementRequest()
        (request.isWindowed, request.petrosian, request.saturation) = (true, .init(), 400)
        (request.vignetteWidth, request.vignetteHeight, request.apertures) = (7, 5, [5, 12])
        measured.measurements = request
        do {
            return try [
                SkySeeds(plain), SkySeeds(matched), SkySeeds(sensitive), SkySeeds(weighted, hasWeightsAndMask: true),
                SkySeeds(measured),
            ]
        } catch { preconditionFailure("the small scan fails: \(error)") }
    }()

    private init(_ parameters: ScanParameters, hasWeightsAndMask: Bool = false) throws {
        self.hasWeightsAndMask = hasWeightsAndMask
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
        (self.parameters, self.plan, self.pixels) = (parameters, plan, pixels)
        let all = WindowPixels(rect: plan.image, hasWeights: hasWeightsAndMask, hasMask: hasWeightsAndMask)
        let bytes = Self.bytes(all, pixels, width)
        func withImage<Result>(_ body: (PixelView) throws -> Result) throws -> Result {
            try all.withView(of: BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }) { view in
                var view = view
                view.isOverwritable = false
                return try body(view)
            }
        }
        let meshes = try withImage { view in
            try (0..<plan.count).map {
                try MeshStatistics(
                    measuring: view.cropped(to: plan[$0].core), band: plan[$0], parameters: parameters)
            }
        }
        for mesh in meshes { try accumulator.add(mesh) }
        self.meshes = meshes
        let background = try accumulator.reduce()
        var batch = SourceBatch()
        try withImage { view in
            for band in 0..<2 {
                let scan = BandExtraction(plan: plan, band: band, parameters: parameters, background: background)
                batch.append(try scan.scan(view.cropped(to: plan[band].window)).batch)
            }
        }
        self.background = background
        catalogue = CatalogAssembly(batch, parameters: parameters)
        precondition(catalogue.sources.count >= 2)
    }

    /// The scan of the image in one piece.
    var image: ImageTask {
        var whole = plan
        (whole.rows, whole.lowRows) = (plan.height, plan.height)
        return ImageTask(id: 0, scan: ImageExtraction(plan: whole, parameters: parameters), window: window(plan.image))
    }

    func mesh(_ band: Int) -> MeshTask {
        MeshTask(
            id: band, scan: MeshMeasurement(plan: plan, band: band, parameters: parameters),
            window: window(plan[band].window))
    }

    func band(_ band: Int) -> BandTask {
        BandTask(
            id: band, scan: BandExtraction(plan: plan, band: band, parameters: parameters, background: background),
            window: window(plan[band].window))
    }

    func island(_ rect: PixelRect, x: Int32, y: Int32) -> CutIslandTask {
        let window = CutIslandWindow(id: 3, rect: rect, pixelX: [x], pixelY: [y])
        return CutIslandTask(
            id: 0,
            scan: CutIslandExtraction(plan: plan, rescan: window, parameters: parameters, background: background),
            window: self.window(rect))
    }

    /// The photometry of two sources.
    func aperture(_ rect: PixelRect) -> ApertureTask {
        var window = ApertureWindow(rect: rect)
        window.index = [0, 1]
        (window.x, window.y) = ([20.5, 60], [16, 40])
        (window.a, window.b, window.theta) = ([2, 3], [2, 2.5], [0, 0.5])
        return ApertureTask(
            id: 0, scan: WindowPhotometry(window: window, parameters: parameters, background: background),
            window: self.window(rect))
    }

    /// The measurement on request of two sources, with the pixels of both.
    func measurement(_ rect: PixelRect) -> MeasurementTask {
        var parameters = parameters
        parameters.measurements = parameters.measurements ?? MeasurementRequest()
        var runs = PixelRuns()
        for (x, y) in [(20, 16), (60, 40)] {
            let offsets = (y - 3...y + 3).flatMap { row in (x - 3...x + 3).map { Int32(row * plan.width + $0) } }
            runs.append(ascending: offsets, in: plan.image)
        }
        let window = MeasurementWindow(
            rect: rect, of: [0, 1], catalogue.sources,
            ceilings: Array(repeating: 300, count: catalogue.sources.count),
            SegmentRows(runs, height: plan.height), isOfOtherImage: false)
        return MeasurementTask(
            id: 0, scan: WindowMeasurement(window: window, parameters: parameters, background: background),
            window: self.window(rect))
    }

    /// The measurement on request of the sources of a catalogue; nil if nothing is requested.
    func measurementPlan(of assembly: CatalogAssembly) -> MeasurementPlan? {
        parameters.measurements.map { request in
            MeasurementPlan(
                assembly, plan: plan, parameters: parameters, request: request, background: background)
        }
    }

    /// Fluxes at two positions.
    func forced(_ rect: PixelRect) -> ForcedTask {
        var parameters = parameters
        var request = ForcedRequest()
        request.apertures = [5, 9]
        parameters.forced = request
        let window = ForcedWindow(rect: rect, index: [0, 1], x: [20.5, 60], y: [16, 40])
        return ForcedTask(
            id: 0, scan: ForcedPhotometry(window: window, parameters: parameters, background: background),
            window: self.window(rect))
    }

    private func window(_ rect: PixelRect) -> WindowPixels {
        WindowPixels(rect: rect, hasWeights: hasWeightsAndMask, hasMask: hasWeightsAndMask)
    }

    /// The bytes of a window of the image as they travel.
    func bytes(_ window: WindowPixels) -> [UInt8] { Self.bytes(window, pixels, plan.width) }

    private static func bytes(_ window: WindowPixels, _ pixels: [Float], _ width: Int) -> [UInt8] {
        let places = window.rect.y.flatMap { row in window.rect.x.map { row * width + $0 } }
        var bytes = places.map { pixels[$0] }.withUnsafeBytes { Array($0) }
        if window.hasWeights { bytes += places.map { Float($0 % 7) }.withUnsafeBytes { Array($0) } }
        if window.hasMask { bytes += places.map { $0 % 97 == 0 ? 1 : 0 } }
        return bytes
    }

    /// What a node answers to `task`.
    func output<Work: WindowTask>(of task: Work) throws -> Work.Output {
        let bytes = bytes(task.window)
        return try task.scan(ScanContext(bulk: BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }))
    }

    /// An output of each kind.
    struct Outputs: Sendable {
        let image: ImageResult
        let mesh: MeshStatistics
        let band: WindowResult
        let island: WindowResult
        let aperture: ApertureResult
        let measuredBand: WindowResult
        let measurement: MeasurementResult
        let forced: ForcedTable
    }

    /// Outputs of ``small`` and ``measured``.
    static let outputs: Outputs = {
        do {
            let part = ChangedTasks.part
            return try Outputs(
                image: small.output(of: small.image),
                mesh: small.output(of: small.mesh(1)), band: small.output(of: small.band(0)),
                island: small.output(of: small.island(part, x: 20, y: 16)),
                aperture: small.output(of: small.aperture(part)),
                measuredBand: measured.output(of: measured.band(0)),
                measurement: measured.output(of: measured.measurement(part)),
                forced: small.output(of: small.forced(part)))
        } catch { preconditionFailure("the small scan fails: \(error)") }
    }()
}
