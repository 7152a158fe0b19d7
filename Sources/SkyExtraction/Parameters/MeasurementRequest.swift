package import SkyFITS

/// The measurements of each source beside the default photometry, made once the sources of the whole image are known.
public struct MeasurementRequest: Codable, Hashable, Sendable {
    /// The treatment of pixels of other sources, and of masked ones, in apertures: SExtractor's MASK_TYPE.
    public enum Masking: String, Codable, Hashable, Sendable, CaseIterable {
        /// Neighbours' pixels count; SEP corrects for masked ones.
        case none
        /// They are 0.
        case blank
        /// They are replaced by the pixels opposite to them with respect to the source's barycentre.
        case correct
    }

    /// Diameters of the circular apertures, in pixels. 1 to ``Limits/apertureCount`` of them; 5 by default.
    public var apertures = [5.0]
    /// Shares of the flux for which radii are measured, above 0 and at most 1.
    public var fluxFractions = [0.5]
    /// ``Masking/correct`` by default.
    public var masking = Masking.correct
    /// Threshold of isophotal areas and of the FWHM, in units of the noise; nil: that of the detection.
    public var analysisThreshold: Double?
    /// Level at which samples are saturated, background included; nil: none.
    public var saturation: Double?
    /// Whether the Gaussian-windowed position, moments and flux are measured.
    public var isWindowed = false
    /// The ellipse of the Petrosian flux; nil: it is not measured.
    public var petrosian: Petrosian?
    /// Width in pixels of the frame around each source whose background is subtracted from its fluxes; nil: none is.
    public var localThickness: Int?
    /// Whether the gain is scaled with the weights of pixels, relative to that of the image's noise: SExtractor's
    /// WEIGHT_GAIN.
    public var scalesGain = false
    /// The point spread function that is fitted to each source; nil: none is.
    public var pointSpread: PointSpreadModel?
    /// Columns of the cut-out of each source; 0: none.
    public var vignetteWidth = 0
    /// Rows of the cut-out of each source; 0: none.
    public var vignetteHeight = 0

    /// Whether the sources were detected in another image than that in which they are measured: SExtractor's dual image
    /// mode. Their Kron radii are those of the other image.
    public var isOfOtherImage = false

    /// SExtractor's PHOT_PETROPARAMS.
    public struct Petrosian: Codable, Hashable, Sendable {
        /// Radius of the ellipse in Petrosian radii; 0.1 to 20.
        public var factor = 2.0
        /// Least radius of the ellipse, in units of the source's axes; 0 to 20.
        public var minimum = 3.5

        /// SExtractor's defaults.
        public init() {}
    }

    /// SExtractor's defaults.
    public init() {}

    /// Permitted numbers and ranges.
    public enum Limits {
        /// Most apertures, and most shares of the flux.
        public static let apertureCount = 64
        /// Range of ``MeasurementRequest/localThickness``, in pixels.
        public static let localThickness = 1...1000
        /// Longest side of a cut-out, in pixels.
        public static let vignetteSide = 1024
    }

    /// Pixels of a cut-out.
    package var vignetteArea: Int { vignetteWidth * vignetteHeight }

    /// Refuses an invalid request.
    /// - Throws: ``ScanSetupError`` that names the value.
    package func validate() throws(ScanSetupError) {
        let counts = [("apertures", apertures.count), ("flux fractions", fluxFractions.count)]
        for (name, count) in counts where !(1...Limits.apertureCount).contains(count) {
            throw ScanSetupError("\(name): 1 to \(Limits.apertureCount) are possible, not \(count)")
        }
        let largest = 2 * ScanParameters.Limits.largestApertureRadius
        if let wrong = apertures.first(where: { !($0 > 0 && $0 <= largest) }) {
            throw ScanSetupError(
                "the diameter of an aperture must be positive and at most \(Int(largest)), not \(wrong)")
        }
        if let wrong = fluxFractions.first(where: { !($0 > 0 && $0 <= 1) }) {
            throw ScanSetupError("a share of the flux must be above 0 and at most 1, not \(wrong)")
        }
        if let analysisThreshold, !ScanParameters.Limits.threshold.contains(analysisThreshold) {
            throw ScanSetupError("the analysis threshold must be 0.01 to 10000, not \(analysisThreshold)")
        }
        if let saturation, !saturation.isFinite {
            throw ScanSetupError("the saturation level must be a number, not \(saturation)")
        }
        if let petrosian {
            guard ScanParameters.Limits.kronFactor.contains(petrosian.factor),
                ScanParameters.Limits.kronMinimum.contains(petrosian.minimum)
            else {
                throw ScanSetupError(
                    "the Petrosian factor must be 0.1 to 20 and the minimum 0 to 20, not \(petrosian.factor) and "
                        + "\(petrosian.minimum)")
            }
        }
        if let localThickness, !Limits.localThickness.contains(localThickness) {
            throw ScanSetupError(
                "the frame of the local background must be 1 to \(Limits.localThickness.upperBound) pixels wide, not "
                    + "\(localThickness)")
        }
        try pointSpread?.validate()
        let sides = 0...Limits.vignetteSide
        guard sides.contains(vignetteWidth), sides.contains(vignetteHeight),
            (vignetteWidth == 0) == (vignetteHeight == 0)
        else {
            throw ScanSetupError(
                "a cut-out must have 1 to \(Limits.vignetteSide) pixels a side, not \(vignetteWidth) by "
                    + "\(vignetteHeight)")
        }
    }
}
