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
    /// - Throws: ``ScanSetupError`` if it does not, ``MemoryError``.
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
        (back, sigma) = try core.meshes(mask: mask, areAllUsable: isOrdinary, width: meshWidth, height: meshHeight)
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

    /// SEP's values of every mesh without its median filter, with bad meshes.
    fileprivate func meshes(
        mask: [UInt8]?, areAllUsable: Bool, width: Int, height: Int
    ) throws(MemoryError) -> (back: [Float], sigma: [Float]) {
        let count = ((rect.width + width - 1) / width) * ((rect.height + height - 1) / height)
        var back = [Float](repeating: MeshStatistics.bad, count: count)
        var sigma = back
        let isDone = (mask ?? []).withUnsafeBufferPointer { mask in
            skyfarm_measure_meshes(
                pixels, mask.isEmpty ? nil : mask.baseAddress, areAllUsable ? 1 : 0, Int32(rect.width),
                Int32(rect.height), Int32(width), Int32(height), &back, &sigma)
        }
        guard isDone != 0 else { throw MemoryError(for: "the meshes of a band") }
        return (back, sigma)
    }
}
