extension SkyScanResult {
    /// Returns the reason why sources may be missing: samples are 32-bit floats, which may not resolve the noise of
    /// this image at its background level. Returns nil if they do.
    public func precisionProblem(of image: ImageSummary) -> String? {
        let (level, noise) = (abs(globalLevel), globalNoise)
        // Stored samples of these types are converted without rounding.
        guard ![8, 16, -32].contains(image.bitpix), level.ulp > 0.01, noise < 2 * level.ulp else { return nil }
        return "the noise, \(noise), is below the step of 32-bit floats at the level of the samples, \(level.ulp): "
            + "sources may be missing; subtract a constant from the image first"
    }
}
