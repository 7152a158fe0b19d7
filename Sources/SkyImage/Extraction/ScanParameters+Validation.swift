extension ScanParameters {
    /// Refuses parameters that make no sense.
    /// - Throws: ``ScanSetupError`` that names the parameter, its value and what is allowed.
    public func validate() throws(ScanSetupError) {
        try require(
            threshold.isFinite && threshold > 0 && Float(threshold) > 0 && Float(threshold).isFinite,
            "threshold must be positive", threshold)
        try require((1...1_000_000).contains(minArea), "min-area must be 1 to 1000000 pixels", minArea)
        try require((1...256).contains(deblendLevels), "deblend-levels must be 1 to 256", deblendLevels)
        try require((0...1).contains(deblendContrast), "deblend-contrast must be 0 to 1", deblendContrast)
        if let clean { try require(clean.isFinite && clean > 0, "clean must be positive or off", clean) }
        try require((1...16384).contains(meshWidth), "the mesh width must be 1 to 16384 pixels", meshWidth)
        try require((1...16384).contains(meshHeight), "the mesh height must be 1 to 16384 pixels", meshHeight)
        try require((1...63).contains(meshFilterWidth), "mesh-filter must be 1 to 63 meshes wide", meshFilterWidth)
        try require((1...63).contains(meshFilterHeight), "mesh-filter must be 1 to 63 meshes high", meshFilterHeight)
        try require(
            apertureRadius.isFinite && apertureRadius > 0 && apertureRadius <= 10_000,
            "the aperture radius must be positive and at most 10000 pixels", apertureRadius)
        if filter == .matched, noise == .global {
            throw ScanSetupError(
                "the matched filter needs a noise map; add --noise map or --weight, or choose --filter conv")
        }
    }

    private func require(_ holds: Bool, _ rule: String, _ value: some Any) throws(ScanSetupError) {
        if !holds { throw ScanSetupError("\(rule), not \(value)") }
    }
}
