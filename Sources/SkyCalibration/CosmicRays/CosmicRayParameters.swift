/// Parameters of the search for cosmic rays, with the names and defaults of astroscrappy.
package struct CosmicRayParameters: Codable, Hashable, Sendable {
    /// Significance of the Laplacian from which a pixel is a candidate, in units of its noise.
    package var sigclip = 4.5
    /// The share of ``sigclip`` that suffices beside a cosmic ray.
    package var sigfrac = 0.3
    /// Contrast between the Laplacian and the fine structure from which a candidate is no star.
    package var objlim = 5.0
    /// Electrons per unit of the pixels.
    package var gain = 1.0
    /// Read noise in electrons.
    package var readnoise = 6.5
    /// Level of saturation in electrons.
    package var satlevel = 65_536.0
    /// Most iterations.
    package var niter = 4
    /// Whether medians are taken along rows, then along columns, instead of over squares.
    package var sepmed = true
    package var cleantype = CleanType.meanmask

    package init() {}

    /// The parameters in one line: limits, iterations, gain, read noise, saturation, medians and what replaces pixels.
    var words: String {
        "\(sigclip) \(sigfrac) \(objlim) \(niter) \(gain) \(readnoise) \(satlevel) \(sepmed ? "separable" : "square") "
            + cleantype.rawValue
    }

    /// What replaces the pixel of a cosmic ray.
    package enum CleanType: String, CaseIterable, Codable, Sendable {
        /// The mean of the 5 x 5 pixels around it that are neither masked nor cosmic rays.
        case meanmask
        /// Their median.
        case medmask
        /// Their mean, weighted by the inverse distance.
        case idw
    }
}
