package import SkyExtraction
package import SkyFITS

/// Measurement of given sources on request, in a window that holds what they need.
package struct WindowMeasurement: WindowStep {
    package static let typeName = "sky.measure/4"
    package static let costPerPixel = 0.5

    /// The sources and their window.
    package var window: MeasurementWindow
    package var parameters: ScanParameters
    /// The background of the window.
    package var background: BackgroundSlice

    /// The scan of a window.
    package init(window: MeasurementWindow, parameters: ScanParameters, background: BackgroundModel) {
        self.window = window
        self.parameters = parameters
        self.background = background.slice(rows: window.rect.y)
    }

    package func scan(_ view: PixelView) throws -> MeasurementResult {
        guard let request = parameters.measurements else {
            throw ScanSetupError("the parameters do not say what is to be measured")
        }
        try window.validate()
        let pixels = try PreparedPixels.forMeasurement(of: view.cropped(to: rect), background, for: parameters)
        try view.checkCancellation()
        var meter = SourceMeter(pixels, window, parameters, request)
        var result = MeasurementResult()
        for position in window.index.indices {
            try view.checkCancellation()
            if let needed = meter.measure(position, into: &result.table) {
                result.open.append(index: position, box: needed)
            }
        }
        return result
    }

    package func validate(_ output: MeasurementResult) throws(ScanSetupError) {
        guard let request = parameters.measurements else { return }
        try output.validate(
            for: window, request, in: PixelRect(x: 0..<background.width, y: 0..<background.height))
    }

    package var subject: MeasurementWindow { window }
    package var rect: PixelRect { window.rect }
    package var missing: MeasurementResult {
        parameters.measurements.map { MeasurementResult(missing: window, $0) } ?? MeasurementResult()
    }
}

extension WindowMeasurement {
    /// The pixels that a source certainly needs, apart from those of the source itself.
    package static func reach(
        x: Double, y: Double, a: Float, b: Float, theta: Float, _ parameters: ScanParameters,
        _ request: MeasurementRequest, in image: PixelRect
    ) -> PixelRect {
        let target = ApertureTarget(x: x, y: y, a: a, b: b, theta: theta)
        return SourceMeter.reach(of: target, ellipse: 0, parameters, request, in: image)
    }
}
