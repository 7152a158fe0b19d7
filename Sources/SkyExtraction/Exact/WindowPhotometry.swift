package import SkyFITS

/// A window in which sources are measured again, with the values that determine their apertures; struct of arrays.
package struct ApertureWindow: Codable, Equatable, Sendable {
    /// The pixels that the scan reads.
    package var rect: PixelRect
    /// The sources, by index in the catalogue.
    package var index: [Int32] = []
    /// Barycentres, in image coordinates.
    package var x: [Double] = [], y: [Double] = []
    package var a: [Float] = [], b: [Float] = [], theta: [Float] = []

    /// A window without sources.
    package init(rect: PixelRect) { self.rect = rect }
}

/// The photometry of the sources of an ``ApertureWindow``, source by source.
package struct ApertureResult: Codable, Equatable, Sendable {
    /// One element per source of the window.
    package var photometry = Photometry()
    /// Sources that need a larger window, by index in this one: their Kron radius was not known before.
    package var open = OpenApertures()

    package init() {}

    /// Refuses a result that cannot be that of `window`, which lies in `image`.
    /// - Throws: ``ScanSetupError``.
    package func validate(for window: ApertureWindow, in image: PixelRect) throws(ScanSetupError) {
        let count = window.index.count
        guard photometry.isRectangular(count: count), open.isValid(count: count, in: image) else {
            throw ScanSetupError("the measurements of a window do not fit its sources")
        }
    }
}

/// Photometry of given sources in a window that holds their apertures.
package struct WindowPhotometry: WindowStep {
    package static let typeName = "sky.aperture/6"
    package static let costPerPixel = 0.25

    /// The sources and their window.
    package var window: ApertureWindow
    package var parameters: ScanParameters
    /// The background of the window.
    package var background: BackgroundSlice

    /// The scan of a window from ``CatalogAssembly/windows(pixelLimit:)``.
    package init(window: ApertureWindow, parameters: ScanParameters, background: BackgroundModel) {
        self.window = window
        self.parameters = parameters
        self.background = background.slice(rows: window.rect.y)
    }

    package func scan(_ view: PixelView) throws -> ApertureResult {
        let count = window.index.count
        guard
            [window.x.count, window.y.count, window.a.count, window.b.count, window.theta.count]
                .allSatisfy({ $0 == count })
        else { throw ScanSetupError("the columns of a window's sources have different lengths") }
        let pixels = try PreparedPixels.forMeasurement(of: view.cropped(to: rect), background, for: parameters)
        var result = ApertureResult()
        for index in 0..<count {
            try pixels.checkCancellation()
            let target = ApertureTarget(
                x: window.x[index], y: window.y[index], a: window.a[index], b: window.b[index],
                theta: window.theta[index])
            let measurement = pixels.measure(target, parameters: parameters)
            result.photometry.append(measurement)
            if !window.rect.contains(measurement.needed) { result.open.append(index: index, box: measurement.needed) }
        }
        return result
    }

    package func validate(_ output: ApertureResult) throws(ScanSetupError) {
        try output.validate(for: window, in: PixelRect(x: 0..<background.width, y: 0..<background.height))
    }

    package var subject: ApertureWindow { window }
    package var rect: PixelRect { window.rect }

    /// All values NaN, with the flag of a masked aperture.
    package var missing: ApertureResult {
        var result = ApertureResult()
        result.photometry = Photometry(unmeasured: window.index.count, flag: Photometry.allMasked)
        return result
    }
}

extension Photometry {
    /// SEP's flag of an aperture without a usable pixel.
    fileprivate static var allMasked: Int16 { 0x40 }
}
