public import SkyFITS

extension ScanParameters {
    /// Permitted ranges of the numeric parameters.
    public enum Limits {
        /// Range of ``ScanParameters/threshold``, in units of the noise.
        public static let threshold = 0.01...10_000
        /// Range of ``ScanParameters/clean``.
        public static let clean = 0.1...10
        /// Range of ``ScanParameters/minArea``, in pixels.
        public static let minArea = 1...1_000_000
        /// Range of ``ScanParameters/deblendLevels``.
        public static let deblendLevels = 1...256
        /// Range of ``ScanParameters/deblendContrast``.
        public static let deblendContrast = 0.0...1.0
        /// Range of both sides of a background mesh, in pixels.
        public static let mesh = 1...16384
        /// Range of both sides of the median filter, in meshes.
        public static let meshFilter = 1...63
        /// Range of ``ScanParameters/kronFactor``, in Kron radii.
        public static let kronFactor = 0.1...20
        /// Range of ``ScanParameters/kronMinimum``, in units of a source's axes.
        public static let kronMinimum = 0.0...20
        /// Range of ``ScanParameters/gain``, in photoelectrons per unit. 0 leaves photon noise out.
        public static let gain = 0.0...1e12
        /// Largest ``ScanParameters/apertureRadius``, in pixels.
        public static let largestApertureRadius = 10_000.0
    }

    /// Refuses invalid parameters.
    /// - Throws: `ScanSetupError` that names the parameter, its value and the permitted range.
    public func validate() throws(ScanSetupError) {
        try require(threshold, in: Limits.threshold, "threshold")
        try require(minArea, in: Limits.minArea, "min-area", "pixels")
        try require(deblendLevels, in: Limits.deblendLevels, "deblend-levels", "levels")
        try require(deblendContrast, in: Limits.deblendContrast, "deblend-contrast")
        if let clean { try require(clean, in: Limits.clean, "clean, unless it is off,") }
        try require(meshWidth, in: Limits.mesh, "the mesh width", "pixels")
        try require(meshHeight, in: Limits.mesh, "the mesh height", "pixels")
        try require(meshFilterWidth, in: Limits.meshFilter, "the mesh-filter's width", "meshes")
        try require(meshFilterHeight, in: Limits.meshFilter, "the mesh-filter's height", "meshes")
        try require(
            apertureRadius > 0 && apertureRadius <= Limits.largestApertureRadius,
            "the aperture radius must be positive and at most \(Int(Limits.largestApertureRadius)) pixels",
            apertureRadius)
        try require(kronFactor, in: Limits.kronFactor, "kron-factor")
        try require(kronMinimum, in: Limits.kronMinimum, "kron-minimum")
        try require(gain, in: Limits.gain, "gain")
        if let backgroundLevel, !(backgroundLevel.magnitude < Double(PixelView.limit)) {
            throw ScanSetupError("the background must be a number, not \(backgroundLevel)")
        }
        try measurements?.validate()
        try forced?.validate()
        if filter == .matched, noise == .global {
            throw ScanSetupError(
                "the matched filter needs a noise map; add --noise map or --weight, or choose --filter conv")
        }
    }

    private func require(
        _ value: Double, in limits: ClosedRange<Double>, _ name: String
    ) throws(ScanSetupError) {
        let rule = "\(name) must be \(limits.lowerBound) to \(limits.upperBound)"
        try require(limits.contains(value), rule, value)
    }

    private func require(
        _ value: Int, in limits: ClosedRange<Int>, _ name: String, _ unit: String
    ) throws(ScanSetupError) {
        let rule = "\(name) must be \(limits.lowerBound) to \(limits.upperBound) \(unit)"
        try require(limits.contains(value), rule, value)
    }

    private func require(_ holds: Bool, _ rule: String, _ value: some Any) throws(ScanSetupError) {
        if !holds { throw ScanSetupError("\(rule), not \(value)") }
    }
}
