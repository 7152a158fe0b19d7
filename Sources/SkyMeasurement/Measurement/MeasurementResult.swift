package import SkyExtraction
package import SkyFITS

/// The measurements of the sources of a ``MeasurementWindow``.
package struct MeasurementResult: Codable, Equatable, Sendable {
    package var table = MeasurementTable()
    /// Sources that need a larger window, by position in this one.
    package var open = OpenApertures()

    package init() {}

    /// The result for sources that could not be measured.
    package init(missing window: MeasurementWindow, _ request: MeasurementRequest) {
        table = MeasurementTable(unmeasured: window.index.count, request)
    }

    /// Refuses a result that cannot be that of `window`, which lies in `image`.
    /// - Throws: ``ScanSetupError``.
    package func validate(
        for window: MeasurementWindow, _ request: MeasurementRequest, in image: PixelRect
    ) throws(ScanSetupError) {
        let count = window.index.count
        guard table.isRectangular(count: count, request), open.isValid(count: count, in: image) else {
            throw ScanSetupError("the measurements of a window do not fit its sources")
        }
    }
}
