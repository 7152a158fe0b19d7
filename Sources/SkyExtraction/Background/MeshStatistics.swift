internal import CSEP
internal import CSkyKernel
import SkyFITS

/// Raw background of the meshes of one band: the output of pass 1.
package struct MeshStatistics: Codable, Equatable, Sendable {
    /// Row of the first mesh in the image's mesh grid.
    package var firstRow: Int
    /// Number of meshes per row.
    package var columns: Int
    /// Background level of each mesh, row by row; ``bad`` where too few pixels are usable.
    package var back: [Float]
    /// Noise of each mesh, row by row; ``bad`` where too few pixels are usable.
    package var sigma: [Float]
    /// Mean relative variance of each mesh's usable pixels; empty unless the noise comes from weights.
    package var variance: [Double] = []
    /// Number of masked pixels: masked by the user or not finite.
    package var maskedPixels: Int

    /// Value of a bad mesh, as in SEP.
    package static let bad: Float = -1e30

    /// Rows of meshes.
    package var rows: Int { columns == 0 ? 0 : back.count / columns }

    /// Measures the meshes of the band's core rows.
    /// `view` must contain the core; it may be larger.
    /// - Throws: ``ScanSetupError`` if it does not, ``SEPError`` if SEP fails.
    package init(measuring view: PixelView, band: Band, parameters: ScanParameters) throws {
        try parameters.validate()
        let core = try view.cropped(to: band.core)
        guard core.stride == core.rect.width else { throw ScanSetupError("a band's core must span the image") }
        let meshWidth = min(parameters.meshWidth, core.rect.width)
        let meshHeight = min(parameters.meshHeight, core.rect.height)
        // The common case: without mask and weights, one pass over the pixels shows that all of them are usable.
        let isOrdinary = core.mask == nil && core.weights == nil && core.greatestMagnitude < -Self.bad
        maskedPixels = isOrdinary ? 0 : core.maskedCount
        firstRow = band.core.y.lowerBound / parameters.meshHeight
        columns = (core.rect.width + meshWidth - 1) / meshWidth
        let mask = maskedPixels > 0 ? core.maskBytes() : nil
        switch ScanKernel.current {
        case .own:
            (back, sigma) = try core.ownMeshes(
                mask: mask, areAllUsable: isOrdinary, width: meshWidth, height: meshHeight)
        case .sep:
            (back, sigma) = try core.rawMeshes(mask: mask, width: meshWidth, height: meshHeight)
            if !isOrdinary {
                for mesh in core.badMeshes(mask: mask, width: meshWidth, height: meshHeight) {
                    back[mesh] = Self.bad
                    sigma[mesh] = Self.bad
                }
            }
        }
        if parameters.noise == .weights {
            variance = try core.meanVariances(width: meshWidth, height: meshHeight, of: parameters.weightMap)
        }
    }

    package init(
        firstRow: Int, columns: Int, back: [Float], sigma: [Float], variance: [Double] = [], maskedPixels: Int
    ) {
        self.firstRow = firstRow
        self.columns = columns
        self.back = back
        self.sigma = sigma
        self.variance = variance
        self.maskedPixels = maskedPixels
    }
}

extension MeshStatistics {
    /// The background level of a mesh with these samples; 0 if less than half of them is usable.
    package static func level(of samples: [Float]) -> Float {
        var (level, noise) = (Float(0), Float(0))
        let count = Int32(samples.count)
        let isDone = skyfarm_measure_meshes(samples, nil, 0, count, 1, count, 1, &level, &noise)
        return isDone == 0 || level == bad ? 0 : level
    }
}

extension PixelView {
    fileprivate func maskBytes() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: rect.area) { bytes, count in
            if let base = bytes.baseAddress { writeMask(to: base) }
            count = rect.area
        }
    }

    /// SEP's values of every mesh without its median filter, computed by Skyfarm's kernel, with bad meshes.
    fileprivate func ownMeshes(
        mask: [UInt8]?, areAllUsable: Bool, width: Int, height: Int
    ) throws -> (back: [Float], sigma: [Float]) {
        let count = ((rect.width + width - 1) / width) * ((rect.height + height - 1) / height)
        var back = [Float](repeating: MeshStatistics.bad, count: count)
        var sigma = back
        let isDone = (mask ?? []).withUnsafeBufferPointer { mask in
            skyfarm_measure_meshes(
                pixels, mask.isEmpty ? nil : mask.baseAddress, areAllUsable ? 1 : 0, Int32(rect.width),
                Int32(rect.height), Int32(width), Int32(height), &back, &sigma)
        }
        guard isDone != 0 else { throw SEPError(status: 1) }
        return (back, sigma)
    }

    /// SEP's values of every mesh without its median filter. Those of bad meshes are meaningless.
    fileprivate func rawMeshes(mask: [UInt8]?, width: Int, height: Int) throws -> (back: [Float], sigma: [Float]) {
        var image = sep_image()
        image.data = UnsafeRawPointer(pixels)
        image.dtype = SEP_TFLOAT
        image.mdtype = SEP_TBYTE
        image.w = Int32(rect.width)
        image.h = Int32(rect.height)
        return try (mask ?? []).withUnsafeBytes { bytes in
            image.mask = mask == nil ? nil : bytes.baseAddress
            var result: UnsafeMutablePointer<sep_bkg>?
            try SEPError.check(sep_background(&image, Int32(width), Int32(height), 1, 1, 0, &result))
            defer { sep_bkg_free(result) }
            guard let background = result?.pointee else { throw SEPError(status: 1) }
            let count = Int(background.n)
            return (
                Array(UnsafeBufferPointer(start: background.back, count: count)),
                Array(UnsafeBufferPointer(start: background.sigma, count: count))
            )
        }
    }

    /// Meshes with fewer usable pixels than half their area. A pixel is usable if it is not masked and above -1e30.
    fileprivate func badMeshes(mask: [UInt8]?, width: Int, height: Int) -> [Int] {
        if mask == nil, greatestMagnitude < -MeshStatistics.bad { return [] }
        let columns = (rect.width + width - 1) / width
        var bad: [Int] = []
        for (row, y) in Swift.stride(from: 0, to: rect.height, by: height).enumerated() {
            let rows = y..<min(y + height, rect.height)
            for (column, x) in Swift.stride(from: 0, to: rect.width, by: width).enumerated() {
                let cells = x..<min(x + width, rect.width)
                var usable = 0
                for y in rows {
                    for x in cells where pixels[y * stride + x] > MeshStatistics.bad {
                        if mask?[y * rect.width + x] ?? 0 == 0 { usable += 1 }
                    }
                }
                if Float(usable) < Float(Double(cells.count * rows.count) * 0.5) { bad.append(row * columns + column) }
            }
        }
        return bad
    }
}
