extension SyntheticSky {
    /// Properties of the sky and the camera. The defaults suit a 16-bit detector on a small telescope.
    public struct Parameters: Equatable, Sendable {
        /// Number of pixels per row.
        public var width: Int
        /// Number of rows.
        public var height: Int
        /// Seed of all random numbers.
        public var seed: UInt64
        /// Number of stars and galaxies per million pixels.
        public var density = 1000.0
        /// Fraction of galaxies among stars and galaxies, 0 to 1.
        public var galaxyShare = 0.4
        /// Full width at half maximum of a star, in pixels.
        public var fwhm = 3.0
        /// Magnitude of a source of one count (ADU).
        public var zeroPoint = 30.0
        /// Magnitudes of stars and galaxies, brightest to faintest.
        public var magnitudes = 16.0...24.0
        /// Sky level at the centre of the image, in counts.
        public var sky = 400.0
        /// Change of the sky level across the image, as a fraction of ``sky``.
        public var skyGradient = 0.1
        /// Number of electrons per count.
        public var gain = 1.5
        /// Standard deviation of the read noise, in electrons.
        public var readNoise = 5.0
        /// Counts at which a pixel saturates.
        public var saturation = 60_000.0
        /// Number of very bright stars, with wings and bleeding, per million pixels.
        public var brightStarDensity = 0.25
        /// Number of galaxies larger than a band's halo, per million pixels.
        public var bigGalaxyDensity = 0.12
        /// Right ascension of the centre of the image, in degrees.
        public var rightAscension = 150.0
        /// Declination of the centre of the image, in degrees.
        public var declination = 2.2
        /// Pixel scale in degrees per pixel.
        public var pixelScale = 0.3 / 3600
        /// Number of the random sequence of the first row's noise: images of the same sources with other noise have
        /// others.
        package var noiseStream: UInt64 = 0

        /// Creates parameters with default values for everything but the size and the seed.
        public init(width: Int, height: Int, seed: UInt64 = 1) {
            self.width = width
            self.height = height
            self.seed = seed
        }
    }
}
