package import SkyFITS

extension BandPlan {
    /// Cuts an image of `width` by `height` pixels into bands of about `requestedRows` rows, for a scan with
    /// `parameters`.
    ///
    /// The halo is at least ``defaultHalo`` rows. It is higher if a source that extends beyond it might otherwise have
    /// fewer than `minArea` pixels in the window of the band in which it ends, since SEP drops such sources; a source
    /// may have a single pixel per row. A higher halo has at most 10 million pixels, so that a node can hold a band.
    /// - Throws: ``ScanSetupError`` if the image is empty or a band could not be held in memory.
    package init(
        width: Int, height: Int, parameters: ScanParameters, requestedRows: Int? = nil, slots: Int = usualSlots
    ) throws(ScanSetupError) {
        let wanted = parameters.minArea + IslandMargin(parameters: parameters).y
        try self.init(
            width: width, height: height, meshHeight: parameters.meshHeight, requestedRows: requestedRows,
            halo: max(Self.defaultHalo, min(wanted, 10_000_000 / max(1, width))), slots: slots)
    }
}
