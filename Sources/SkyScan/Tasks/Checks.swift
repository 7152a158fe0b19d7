package import SkyExtraction
package import SkyFITS

// Checks of tasks and responses before their values are used: both may come from the network.

extension BandPlan {
    /// Refuses an invalid plan, a band that is not in it, and a window that is not the band's.
    package func check(band: Int, window: PixelRect) throws(ScanSetupError) {
        try validate()
        guard (0..<count).contains(band), self[band].window == window else {
            throw ScanSetupError("band \(band) with window \(window) is not in the plan of \(count) bands")
        }
    }
}

extension MeshStatistics {
    /// Refuses statistics that cannot be those of `band`.
    package func validate(for band: Band, parameters: ScanParameters) throws(ScanSetupError) {
        let expected = Self.missing(band: band, parameters: parameters)
        guard firstRow == expected.firstRow, columns == expected.columns, back.count == expected.back.count,
            sigma.count == expected.sigma.count, variance.count == expected.variance.count,
            (0...band.core.area).contains(maskedPixels)
        else { throw ScanSetupError("the response does not fit band \(band.index)") }
    }

    /// The statistics of a band that could not be scanned: bad meshes, which are filled from their neighbours.
    package static func missing(band: Band, parameters: ScanParameters) -> MeshStatistics {
        let columns = (band.core.width + parameters.meshWidth - 1) / parameters.meshWidth
        let rows = (band.core.height + parameters.meshHeight - 1) / parameters.meshHeight
        let meshes = [Float](repeating: bad, count: columns * rows)
        return MeshStatistics(
            firstRow: band.core.y.lowerBound / parameters.meshHeight, columns: columns, back: meshes, sigma: meshes,
            variance: parameters.noise == .weights ? meshes.map { _ in 0 } : [], maskedPixels: 0)
    }
}

extension ApertureResult {
    /// The result for sources that could not be measured: all values NaN, with the flag of a masked aperture.
    package static func missing(for window: ApertureWindow) -> ApertureResult {
        var result = ApertureResult()
        result.photometry = Photometry(unmeasured: window.index.count, flag: Photometry.allMasked)
        return result
    }
}

extension Photometry {
    /// SEP's flag of an aperture without a usable pixel.
    fileprivate static var allMasked: Int16 { 0x40 }
}
