/// Parameters of detection and photometry. Names and defaults are SExtractor's.
public struct ScanParameters: Codable, Hashable, Sendable {
    /// Detection threshold in units of the noise. 0.01 to 10000; 1.5 by default.
    public var threshold = 1.5
    /// Smallest number of pixels above the threshold. At least 1; 5 by default.
    public var minArea = 5
    /// Number of deblending thresholds. 1 to 256; 32 by default.
    public var deblendLevels = 32
    /// Fraction of a blend's flux that a branch needs to become a source. 0 to 1 (1: never); 0.005 by default.
    public var deblendContrast = 0.005
    /// Exponent of the wings that cleaning assumes for each source; nil turns cleaning off. 0.1 to 10; 1 by default.
    public var clean: Double? = 1.0
    /// Columns of a background mesh, in pixels. 64 by default.
    public var meshWidth = 64
    /// Rows of a background mesh, in pixels. 64 by default.
    public var meshHeight = 64
    /// Columns of the median filter over the meshes. 1 to 63; 3 by default.
    public var meshFilterWidth = 3
    /// Rows of the median filter over the meshes. 1 to 63; 3 by default.
    public var meshFilterHeight = 3
    /// Smoothing before detection.
    public var filter = Filter.conv
    /// The kernel of ``filter``.
    public var kernel = ConvolutionKernel.standard
    /// Noise that scales the threshold and the errors.
    public var noise = Noise.global
    /// The meaning of the samples of the weight map. Used if ``noise`` comes from it.
    public var weightMap = WeightMap.weight
    /// Whether the variance of the weight map is scaled to the noise of the meshes; not done for ``WeightMap/rms``.
    public var rescalesWeights = true
    /// Background of the whole image, in the unit of the samples, instead of that of the meshes; nil, the default: none.
    public var backgroundLevel: Double?
    /// Radius of the fixed aperture in pixels. Positive; 5 by default.
    public var apertureRadius = 5.0
    /// Size of the ellipse of `flux_auto`, in Kron radii: the first of SExtractor's PHOT_AUTOPARAMS. 0.1 to 20; 2.5 by
    /// default.
    public var kronFactor = 2.5
    /// Smallest size of that ellipse, in units of the source's `a` and `b`: the second of PHOT_AUTOPARAMS. Also the
    /// size for sources without a Kron radius. 0 to 20; 3.5 by default.
    public var kronMinimum = 3.5
    /// Photoelectrons per unit of the samples. If it is positive, the errors include the source's photon noise. 0 by
    /// default.
    public var gain = 0.0
    /// Further measurements of the sources that survive cleaning; nil, the default, for none. With them, the photometry
    /// also follows these rules for neighbours, and cleaning is SExtractor's instead of SEP's, so that other sources may
    /// survive it.
    public var measurements: MeasurementRequest?
    /// Whether the pixels of each source are returned, for images of the sources. They always are with ``measurements``.
    public var returnsPixels = false
    /// Whether all pixels above the threshold are returned, for the measurement of the sources in other images.
    public var returnsDetections = false
    /// Whether trails of satellites are looked for, for which bands also return a ``CoarseImage``. False by default.
    public var findsTrails = false

    /// Photometry at given positions instead of a catalogue of sources; nil, the default: none.
    public var forced: ForcedRequest?

    /// SExtractor's defaults.
    public init() {}

    /// Smoothing before detection.
    public enum Filter: String, Codable, Hashable, Sendable, CaseIterable {
        /// Convolution with the kernel, as SExtractor does.
        case conv
        /// Matched filter: pixels are also weighted by the noise map. Needs a noise per pixel.
        case matched
        /// No smoothing.
        case none
    }

    /// Source of the noise level.
    public enum Noise: String, Codable, Hashable, Sendable, CaseIterable {
        /// One level for the whole image: the median of the meshes' noise.
        case global
        /// The interpolated noise of the meshes, pixel by pixel.
        case map
        /// The noise of the weight map, pixel by pixel: the variance is inversely proportional to the weight, and
        /// scaled to the meshes' noise.
        case weights
    }

    /// The meaning of the samples of a weight map: SExtractor's WEIGHT_TYPE.
    public enum WeightMap: String, Codable, Hashable, Sendable, CaseIterable {
        /// Inverse variances: MAP_WEIGHT.
        case weight
        /// Variances: MAP_VAR.
        case variance
        /// Standard deviations in the unit of the image: MAP_RMS.
        case rms

        /// The variance of a pixel with this sample, in an arbitrary unit.
        package func variance(_ sample: Float) -> Double {
            switch self {
            case .weight: 1 / Double(sample)
            case .variance: Double(sample)
            case .rms: Double(sample) * Double(sample)
            }
        }
    }

    /// The kernel in use; nil without a filter.
    package var activeKernel: ConvolutionKernel? { filter == .none ? nil : kernel }

    /// Whether the pixels of each source are returned.
    package var needsPixels: Bool { returnsPixels || measurements != nil }
}
