internal import CSEP
package import SkyExtraction
import SkyFITS

/// The oracle: SEP on the whole image at once, called in the simplest way.
package struct WholeImageSEP {
    private let image: TestImage
    private let parameters: ScanParameters
    /// The noise of every pixel instead of the background's.
    private let constantNoise: Float?
    /// Whether masked pixels are 0 before SEP sees them, which ignores the mask on an image's first rows.
    private let hidesMasked: Bool

    /// An oracle for an image under `parameters`.
    package init(image: TestImage, parameters: ScanParameters, constantNoise: Float? = nil, hidesMasked: Bool = false) {
        (self.image, self.parameters) = (image, parameters)
        (self.constantNoise, self.hidesMasked) = (constantNoise, hidesMasked)
    }

    /// The catalogue.
    package func run() throws -> SourceTable {
        let count = image.pixels.count
        let mask = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        let pixels = UnsafeMutablePointer<Float>.allocate(capacity: count)
        let noise = UnsafeMutablePointer<Float>.allocate(capacity: count)
        defer {
            mask.deallocate()
            pixels.deallocate()
            noise.deallocate()
        }
        pixels.update(from: image.pixels, count: count)
        var image = sep_image()
        image.data = UnsafeRawPointer(pixels)
        image.dtype = SEP_TFLOAT
        image.gain = parameters.gain
        image.mdtype = SEP_TBYTE
        image.w = Int32(self.image.width)
        image.h = Int32(self.image.height)
        try self.image.withView { view in
            view.writeMask(to: mask)
            if view.maskedCount > 0 { image.mask = UnsafeRawPointer(mask) }
        }
        try subtractBackground(&image, pixels, noise)
        if hidesMasked, image.mask != nil { for index in 0..<count where mask[index] != 0 { pixels[index] = 0 } }
        var table = try extract(&image)
        table.photometry = measure(&image, table)
        return table
    }

    /// The median level and noise of the image's background, and the level and then the noise in each pixel of each row.
    package func backgroundLines() throws -> (globalLevel: Float, globalNoise: Float, lines: [[Float]]) {
        var image = sep_image()
        (image.dtype, image.w, image.h) = (SEP_TFLOAT, Int32(self.image.width), Int32(self.image.height))
        var background: UnsafeMutablePointer<sep_bkg>?
        try self.image.pixels.withUnsafeBytes { pixels in
            image.data = pixels.baseAddress
            try SEPLibrary.check(
                sep_background(
                    &image, Int32(parameters.meshWidth), Int32(parameters.meshHeight),
                    Int32(parameters.meshFilterWidth), Int32(parameters.meshFilterHeight), 0, &background))
        }
        defer { sep_bkg_free(background) }
        let lines = try (0..<image.h).map { row in
            var (level, noise) = (
                [Float](repeating: 0, count: self.image.width), [Float](repeating: 0, count: self.image.width)
            )
            try SEPLibrary.check(sep_bkg_line(background, row, &level, SEP_TFLOAT))
            try SEPLibrary.check(sep_bkg_rmsline(background, row, &noise, SEP_TFLOAT))
            return level + noise
        }
        return (sep_bkg_global(background), sep_bkg_globalrms(background), lines)
    }

    private func subtractBackground(
        _ image: inout sep_image, _ pixels: UnsafeMutablePointer<Float>, _ noise: UnsafeMutablePointer<Float>
    ) throws {
        var background: UnsafeMutablePointer<sep_bkg>?
        try SEPLibrary.check(
            sep_background(
                &image, Int32(parameters.meshWidth), Int32(parameters.meshHeight),
                Int32(parameters.meshFilterWidth), Int32(parameters.meshFilterHeight), 0, &background))
        defer { sep_bkg_free(background) }
        try SEPLibrary.check(sep_bkg_subarray(background, pixels, SEP_TFLOAT))
        image.noise_type = Int16(SEP_NOISE_STDDEV)
        image.noiseval = Double(constantNoise ?? sep_bkg_globalrms(background))
        image.ndtype = SEP_TFLOAT
        if parameters.noise == .map {
            try SEPLibrary.check(sep_bkg_rmsarray(background, noise, SEP_TFLOAT))
            image.noise = UnsafeRawPointer(noise)
        }
        if let weights = self.image.weights, parameters.noise == .weights {
            let scale = try varianceScale(&image, weights)
            for (index, weight) in weights.enumerated() {
                noise[index] =
                    weight > 0 && weight.isFinite ? Float((scale / Double(weight)).squareRoot()) : Float(1e30)
            }
            image.noise = UnsafeRawPointer(noise)
        }
    }

    /// The factor from 1 / weight to variance, mesh by mesh as Docs/ExactScan.md has it.
    private func varianceScale(_ image: inout sep_image, _ weights: [Float]) throws -> Double {
        var raw: UnsafeMutablePointer<sep_bkg>?
        // The samples themselves: the image's are without background by now.
        try self.image.pixels.withUnsafeBytes { samples in
            var original = image
            original.data = samples.baseAddress
            original.noise = nil
            try SEPLibrary.check(
                sep_background(
                    &original, Int32(parameters.meshWidth), Int32(parameters.meshHeight), 1, 1, 0, &raw))
        }
        defer { sep_bkg_free(raw) }
        let (width, height) = (self.image.width, self.image.height)
        let (meshWidth, meshHeight) = (min(parameters.meshWidth, width), min(parameters.meshHeight, height))
        func isUsable(_ index: Int) -> Bool {
            weights[index] > 0 && weights[index].isFinite && self.image.pixels[index].isFinite
                && self.image.mask?[index] ?? 0 == 0
        }
        var ratios: [Double] = []
        var mesh = 0
        for top in stride(from: 0, to: height, by: meshHeight) {
            for left in stride(from: 0, to: width, by: meshWidth) {
                let (rows, columns) = (top..<min(height, top + meshHeight), left..<min(width, left + meshWidth))
                var usable: [Int] = []
                for row in rows {
                    for column in columns where isUsable(row * width + column) { usable.append(row * width + column) }
                }
                let sigma = raw.map { Double($0.pointee.sigma[mesh]) } ?? 0
                mesh += 1
                guard Float(usable.count) >= Float(rows.count * columns.count) / 2, !usable.isEmpty else { continue }
                let mean = usable.reduce(0) { $0 + 1 / Double(weights[$1]) } / Double(usable.count)
                ratios.append(sigma * sigma / mean)
            }
        }
        ratios = ratios.contains { $0 > 0 } ? ratios.sorted() : [1]
        func median(_ values: [Double]) -> Double {
            (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
        }
        return median(ratios) > 0 ? median(ratios) : median(ratios.filter { $0 > 0 })
    }

    private func extract(_ image: inout sep_image) throws -> SourceTable {
        var catalog: UnsafeMutablePointer<sep_catalog>?
        let kernel = parameters.activeKernel
        try SEPLibrary.check(
            sep_extract(
                &image, Float(parameters.threshold), SEP_THRESH_REL, Int32(parameters.minArea), kernel?.values,
                Int32(kernel?.width ?? 0), Int32(kernel?.height ?? 0),
                parameters.filter == .matched ? SEP_FILTER_MATCHED : SEP_FILTER_CONV,
                Int32(parameters.deblendLevels), parameters.deblendContrast, parameters.clean == nil ? 0 : 1,
                parameters.clean ?? 1, &catalog))
        defer { sep_catalog_free(catalog) }
        guard let arrays = catalog?.pointee else { return SourceTable() }
        var table = SourceTable()
        func copy<Value>(_ values: UnsafeMutablePointer<Value>?) -> [Value] {
            Array(UnsafeBufferPointer(start: values, count: Int(arrays.nobj)))
        }
        table.thresh = copy(arrays.thresh)
        table.npix = copy(arrays.npix)
        table.tnpix = copy(arrays.tnpix)
        (table.xmin, table.xmax, table.ymin, table.ymax) =
            (copy(arrays.xmin), copy(arrays.xmax), copy(arrays.ymin), copy(arrays.ymax))
        (table.x, table.y) = (copy(arrays.x), copy(arrays.y))
        (table.x2, table.y2, table.xy) = (copy(arrays.x2), copy(arrays.y2), copy(arrays.xy))
        (table.errx2, table.erry2, table.errxy) = (copy(arrays.errx2), copy(arrays.erry2), copy(arrays.errxy))
        (table.a, table.b, table.theta) = (copy(arrays.a), copy(arrays.b), copy(arrays.theta))
        (table.cxx, table.cyy, table.cxy) = (copy(arrays.cxx), copy(arrays.cyy), copy(arrays.cxy))
        (table.cflux, table.flux) = (copy(arrays.cflux), copy(arrays.flux))
        (table.cpeak, table.peak) = (copy(arrays.cpeak), copy(arrays.peak))
        (table.xcpeak, table.ycpeak) = (copy(arrays.xcpeak), copy(arrays.ycpeak))
        (table.xpeak, table.ypeak) = (copy(arrays.xpeak), copy(arrays.ypeak))
        table.flag = copy(arrays.flag)
        return table
    }

    private func measure(_ image: inout sep_image, _ table: SourceTable) -> Photometry {
        var result = Photometry()
        for i in 0..<table.count {
            let (x, y, a, b) = (table.x[i], table.y[i], Double(table.a[i]), Double(table.b[i]))
            let theta = min(max(Double(table.theta[i]), -Double.pi / 2), Double.pi / 2)
            var (cxx, cyy, cxy) = (0.0, 0.0, 0.0)
            sep_ellipse_coeffs(a, b, theta, &cxx, &cyy, &cxy)
            var (kron, flag) = (0.0, Int16(0))
            if sep_kron_radius(&image, x, y, cxx, cyy, cxy, 6, 0, &kron, &flag) != 0 { kron = 0 }
            result.kronRadius.append(kron)
            result.kronFlag.append(flag)
            let radius = max(parameters.kronFactor * kron, parameters.kronMinimum)
            let whole = Self.flux { flux, error, area, flag in
                b <= 0 || radius <= 0
                    ? -1 : sep_sum_ellipse(&image, x, y, a, b, theta, radius, 0, 1, 0, &flux, &error, &area, &flag)
            }
            result.fluxAuto.append(whole.flux)
            result.fluxErrAuto.append(whole.error)
            result.flagAuto.append(whole.flag)
            let circle = Self.flux { flux, error, area, flag in
                sep_sum_circle(&image, x, y, parameters.apertureRadius, 0, 5, 0, &flux, &error, &area, &flag)
            }
            result.fluxAper.append(circle.flux)
            result.fluxErrAper.append(circle.error)
            result.flagAper.append(circle.flag)
            var (half, enclosing) = (0.5, 0.0)
            let status = sep_flux_radius(&image, x, y, 6 * a, 0, 5, 0, nil, &half, 1, &enclosing, &flag)
            result.fluxRadius.append(status == 0 ? enclosing : .nan)
        }
        return result
    }

    /// What `measure` gives; if it fails not a number, with the flag of fluxes that are not measured.
    private static func flux(
        _ measure: (inout Double, inout Double, inout Double, inout Int16) -> Int32
    ) -> (flux: Double, error: Double, flag: Int16) {
        var (flux, error, area, flag) = (0.0, 0.0, 0.0, Int16(0))
        if measure(&flux, &error, &area, &flag) == 0 { return (flux, error, flag) }
        return (.nan, .nan, flag | 0x100)
    }
}
