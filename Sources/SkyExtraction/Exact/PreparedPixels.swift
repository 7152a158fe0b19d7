package import CSkyKernel
internal import ScanBasics
package import SkyFITS

/// A window of the image, prepared for the kernel: background subtracted, with mask and noise map where they are needed.
package struct PreparedPixels: ~Copyable {
    /// Pixels of the window, in image coordinates.
    package let rect: PixelRect
    package let image: PixelRect
    /// Background-subtracted samples. After ``hideMaskedPixels(from:)`` masked ones are 0.
    package let pixels: UnsafeMutablePointer<Float>
    /// 1 for a masked pixel, 0 for others; nil if no pixel of the image is masked.
    package let mask: UnsafeMutablePointer<UInt8>?
    /// Noise per pixel; nil if the noise is global.
    package let noiseMap: UnsafeMutablePointer<Float>?
    package let globalNoise: Float

    private let ownsPixels: Bool
    private let isCancelled: @Sendable () -> Bool

    /// Subtracts the background: in place if the samples of `view` may be overwritten, which then must outlive the
    /// window; otherwise in a copy.
    /// - Throws: ``ScanSetupError`` or ``MemoryError``.
    package static func subtracting(_ slice: BackgroundSlice, from view: PixelView) throws -> PreparedPixels {
        try slice.validate()
        let rect = view.rect
        guard PixelRect(x: 0..<slice.width, y: 0..<slice.height).contains(rect) else {
            throw ScanSetupError("the window \(rect) is not inside the image")
        }
        guard rect.area * MemoryLayout<Float>.size < Int(Int32.max) else {
            throw ScanSetupError("a source needs a window of \(rect.width) by \(rect.height) pixels, above 2 GiB")
        }
        let window = PreparedPixels(for: view, background: slice)
        if let scale = slice.varianceScale, let noise = window.noiseMap {
            try view.writeNoise(to: noise, scale: scale, of: slice.weightMap)
        }
        try window.fill(from: view, slice, meshNoise: slice.noise == nil ? nil : window.noiseMap)
        return window
    }

    /// A window whose masked pixels are hidden, for measurements with `parameters`.
    /// - Throws: ``ScanSetupError`` if they, or the background, are invalid; ``MemoryError``.
    package static func forMeasurement(
        of view: PixelView, _ background: BackgroundSlice, for parameters: ScanParameters
    ) throws -> PreparedPixels {
        try parameters.validate()
        try background.validate(for: parameters)
        let window = try subtracting(background, from: view)
        window.hideMaskedPixels()
        return window
    }

    private init(for view: PixelView, background slice: BackgroundSlice) {
        rect = view.rect
        image = PixelRect(x: 0..<slice.width, y: 0..<slice.height)
        globalNoise = slice.globalNoise
        isCancelled = view.isCancelled
        ownsPixels = !(view.isOverwritable && view.stride == rect.width)
        pixels = ownsPixels ? LargeMemory.allocate(rect.area) : UnsafeMutablePointer(mutating: view.pixels)
        mask = slice.hasMask ? LargeMemory.allocate(rect.area) : nil
        let hasNoiseMap = slice.noise != nil || slice.varianceScale != nil
        noiseMap = hasNoiseMap ? LargeMemory.allocate(rect.area) : nil
        if let mask { view.writeMask(to: mask) }
    }

    deinit {
        if ownsPixels { LargeMemory.deallocate(pixels, rect.area) }
        if let mask { LargeMemory.deallocate(mask, rect.area) }
        if let noiseMap { LargeMemory.deallocate(noiseMap, rect.area) }
    }

    /// - Throws: `CancellationError` if the result is no longer wanted.
    package borrowing func checkCancellation() throws {
        if isCancelled() { throw CancellationError() }
    }

    /// Writes the background-subtracted samples row by row, so that all steps on a row find it in the cache.
    private borrowing func fill(
        from view: PixelView, _ slice: BackgroundSlice, meshNoise: UnsafeMutablePointer<Float>?
    ) throws {
        let line = skyfarm_spline_line_open(
            Int32(slice.columns), Int32(slice.meshWidth), Int32(rect.x.lowerBound), Int32(rect.width))
        guard let line else { throw MemoryError(for: "the background of \(rect.width) columns") }
        defer { skyfarm_spline_line_close(line) }
        func evaluate(
            _ spline: inout skyfarm_spline, _ row: Int, from pixels: UnsafePointer<Float>?,
            to output: UnsafeMutablePointer<Float>
        ) throws {
            let isKnown = skyfarm_spline_row(line, &spline, Int32(rect.y.lowerBound + row), pixels, output)
            guard isKnown != 0 else { throw ScanSetupError("the window \(rect) needs mesh rows that were not sent") }
        }
        try slice.withSpline(slice.level) { level in
            for row in 0..<rect.height {
                try evaluate(&level, row, from: view.pixels + row * view.stride, to: pixels + row * rect.width)
                try requireUsablePixels(inRow: row)
            }
        }
        guard let meshNoise, let noise = slice.noise else { return }
        try slice.withSpline(noise) { noise in
            for row in 0..<rect.height { try evaluate(&noise, row, from: nil, to: meshNoise + row * rect.width) }
        }
    }

    /// Refuses unmasked pixels that are too large for the kernel or NaN. A correct coordinator sends neither such pixels nor a
    /// background that produces them.
    /// - Throws: ``ScanSetupError``.
    private borrowing func requireUsablePixels(inRow row: Int) throws {
        // A pixel and its background are each below the limit.
        let limit = 2 * PixelView.limit
        let start = row * rect.width
        if UnsafePointer(pixels + start).greatestMagnitude(count: rect.width) <= limit { return }
        for offset in start..<start + rect.width where !(pixels[offset].magnitude <= limit) {
            guard mask?[offset] == 1 else {
                throw ScanSetupError("the window \(rect) has unmasked pixels that are NaN or too large to be scanned")
            }
        }
    }

    /// Sets masked pixels to 0, and their noise to SEP's 10³⁰, from a row on. On the rows before, values too large for the
    /// kernel become NaN, which it tolerates, and NaN is kept: see ``FaultsOfSEP``.
    package borrowing func hideMaskedPixels(from row: Int = 0) {
        guard let mask else { return }
        for offset in 0..<min(row * rect.width, rect.area)
        where pixels[offset].isFinite && pixels[offset].magnitude >= PixelView.limit {
            pixels[offset] = .nan
        }
        for offset in row * rect.width..<max(row * rect.width, rect.area) where mask[offset] != 0 {
            pixels[offset] = 0
            noiseMap?[offset] = 1e30
        }
    }

    /// The window as the kernel's field, valid for the lifetime of the window.
    package func field(gain: Double) -> skyfarm_field {
        skyfarm_field(
            pixels: pixels, noise: noiseMap.map { UnsafePointer($0) }, global_noise: globalNoise,
            global_variance: globalNoise * globalNoise, width: Int32(rect.width), height: Int32(rect.height),
            x: Int32(rect.x.lowerBound),
            y: Int32(rect.y.lowerBound), gain: gain)
    }
}
