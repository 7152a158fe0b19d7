package import SkyExtraction
package import SkyFITS

/// A window in which fluxes are measured at given positions; struct of arrays.
package struct ForcedWindow: Codable, Equatable, Sendable {
    /// The pixels that the scan reads.
    package var rect: PixelRect
    /// The positions, by index in the list.
    package var index: [Int32] = []
    /// In image coordinates, from 0 at the centre of the first pixel.
    package var x: [Double] = [], y: [Double] = []
}

/// Photometry at given positions, in a window that holds their apertures.
package struct ForcedPhotometry: WindowStep {
    package static let typeName = "sky.forced/3"
    package static let costPerPixel = 0.25

    /// The positions and their window.
    package var window: ForcedWindow
    package var parameters: ScanParameters
    /// The background of the window.
    package var background: BackgroundSlice

    /// The scan of a window.
    package init(window: ForcedWindow, parameters: ScanParameters, background: BackgroundModel) {
        self.window = window
        self.parameters = parameters
        self.background = background.slice(rows: window.rect.y)
    }

    private var apertures: [Double] { parameters.forced?.apertures ?? [] }

    package func scan(_ view: PixelView) throws -> ForcedTable {
        guard window.x.count == window.index.count, window.y.count == window.index.count else {
            throw ScanSetupError("the columns of a window's positions have different lengths")
        }
        let pixels = try PreparedPixels.forMeasurement(of: view.cropped(to: rect), background, for: parameters)
        let photometer = pixels.photometer(gain: parameters.gain)
        var table = missing
        var place = 0
        for position in window.index.indices {
            try pixels.checkCancellation()
            for diameter in apertures {
                defer { place += 1 }
                let found = photometer.circle(x: window.x[position], y: window.y[position], radius: diameter / 2)
                // An aperture beside the image holds nothing of it: SEP's sum is 0, or NaN if a pixel is masked.
                if found.isEmpty { continue }
                table.flag[place] |= found.flag
                guard found.flux.isFinite, found.error.isFinite else { continue }
                (table.flux[place], table.fluxErr[place], table.noise[place]) = (found.flux, found.error, found.noise)
                table.flag[place] = found.flag
            }
        }
        // The photometer points to them.
        withExtendedLifetime(pixels) {}
        return table
    }

    package var subject: ForcedWindow { window }
    package var rect: PixelRect { window.rect }
    package var missing: ForcedTable { ForcedTable(unmeasured: window.index.count * apertures.count) }

    package func validate(_ output: ForcedTable) throws(ScanSetupError) {
        guard output.isRectangular(count: window.index.count * apertures.count) else {
            throw ScanSetupError("the fluxes of a window do not fit its positions")
        }
    }
}

/// The windows of all positions of an image, and the fluxes that were measured in them.
package struct ForcedPlan: Sendable {
    /// The fluxes so far. Positions without pixels of the image have none.
    package private(set) var table: ForcedTable
    package let windows: [ForcedWindow]
    private let width: Int

    /// The plan for positions in an image.
    package init(x: [Double], y: [Double], in image: PixelRect, _ request: ForcedRequest) {
        width = request.apertures.count
        table = ForcedTable(unmeasured: x.count * width)
        let radius = (request.apertures.max() ?? 0) / 2
        var open = OpenApertures()
        for (index, (x, y)) in zip(x, y).enumerated() {
            let box = image.box(aroundX: x, y: y, halfWidth: radius, halfHeight: radius)
            if !box.isEmpty { open.append(index: index, box: box) }
        }
        windows = open.grouped(pixelLimit: 4_000_000).map { group in
            ForcedWindow(
                rect: group.rect, index: group.indices.map(Int32.init), x: x.selecting(group.indices),
                y: y.selecting(group.indices))
        }
    }

    /// Adds the fluxes of one of the windows, which must be valid for it.
    package mutating func add(_ result: ForcedTable, of window: ForcedWindow) {
        for (position, index) in window.index.enumerated() {
            table.copy(from: result, position, to: Int(index), width: width)
        }
    }
}
