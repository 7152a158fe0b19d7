extension SyntheticSky {
    /// What the sky and the camera are like. The defaults suit a detector of 16 bits behind a small telescope.
    public struct Parameters: Equatable, Sendable {
        /// Columns.
        public var width: Int
        /// Rows.
        public var height: Int
        /// Everything random follows from it.
        public var seed: UInt64
        /// Stars and galaxies per million pixels.
        public var density = 1000.0
        /// Share of the galaxies among them, 0 to 1.
        public var galaxyShare = 0.4
        /// Full width at half maximum of a star, in pixels.
        public var fwhm = 3.0
        /// Magnitude of a source of one count (ADU).
        public var zeroPoint = 30.0
        /// Magnitudes of the stars and galaxies, brightest and faintest.
        public var magnitudes = 16.0...24.0
        /// Level of the sky in the middle, in counts.
        public var sky = 400.0
        /// Change of the sky across the image, as a share of ``sky``.
        public var skyGradient = 0.1
        /// Electrons per count.
        public var gain = 1.5
        /// Deviation of the read noise, in electrons.
        public var readNoise = 5.0
        /// Counts at which a pixel is full.
        public var saturation = 60_000.0
        /// Very bright stars, with wings and bleed, per million pixels.
        public var brightStarDensity = 0.25
        /// Galaxies larger than a band's halo, per million pixels.
        public var bigGalaxyDensity = 0.12
        /// Right ascension of the middle of the image, in degrees.
        public var rightAscension = 150.0
        /// Declination of the middle of the image, in degrees.
        public var declination = 2.2
        /// Degrees per pixel.
        public var pixelScale = 0.3 / 3600

        /// A sky of this size and seed.
        public init(width: Int, height: Int, seed: UInt64 = 1) {
            self.width = width
            self.height = height
            self.seed = seed
        }
    }
}
