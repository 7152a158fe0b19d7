extension BandPlan {
    /// Cuts an image of `width` by `height` pixels into bands of about `requestedRows` rows for a scan with `parameters`.
    ///
    /// The halo is so high that a source which it cuts shows `minArea` pixels to the band that it ends in, if only one a
    /// row: SEP drops what has fewer. But it has no more than 10 million pixels, or no node could hold a band.
    /// - Throws: ``ScanSetupError`` if the image is empty or a band could not be held in memory.
    package init(
        width: Int, height: Int, parameters: ScanParameters, requestedRows: Int? = nil
    ) throws(ScanSetupError) {
        let wanted = parameters.minArea + IslandMargin(parameters: parameters).y
        try self.init(
            width: width, height: height, meshHeight: parameters.meshHeight, requestedRows: requestedRows,
            halo: max(Self.defaultHalo, min(wanted, 10_000_000 / max(1, width))))
    }
}
