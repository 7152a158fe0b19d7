package import SkyExtraction

/// A quantity of a ``MeasurementTable``.
package enum MeasuredQuantity: CaseIterable, Sendable {
    /// Kron radius within 6 times the axes, in units of these; and SEP's flag of it.
    case kronRadius, kronFlag
    /// Flux in the Kron ellipse, its error and SEP's flag.
    case fluxAuto, fluxErrAuto, flagAuto
    /// The share of the pixels within 6 times the axes, or in the Kron ellipse if it is larger there, that are masked or
    /// a neighbour's; and 1 if the image's edge cuts
    /// the box of that ellipse, or of the Kron ellipse if it is larger.
    case contamination, isCut
    /// Fluxes in the circular apertures, their errors and SEP's flags.
    case fluxAper, fluxErrAper, flagAper
    /// Radii that contain the shares of the flux of the Kron ellipse, in pixels.
    case fluxRadius
    /// Flux and noise variance summed over the source's pixels.
    case isoFlux, isoVariance
    /// Numbers of the source's pixels above eight levels from the analysis threshold to the peak.
    case isoAreas
    /// The highest pixel and the analysis threshold of a source that was detected in another image.
    case isoPeak, isoThreshold
    /// Full width at half maximum of a Gaussian core, in pixels.
    case fwhm
    /// Windowed barycentre, in pixels of the image; iterations; ``WindowedFlags``. Columns of sources with
    /// a flag have the barycentre, its moments and errors instead.
    case xWin, yWin, iterationsWin, flagWin
    /// Windowed second moments, and the variances of the windowed barycentre, in pixels squared.
    case x2Win, y2Win, xyWin, errX2Win, errY2Win, errXYWin
    /// Windowed flux and its error.
    case fluxWin, fluxErrWin
    /// Petrosian radius in units of the axes; flux in its ellipse and the error of that.
    case petrosianRadius, fluxPetrosian, fluxErrPetrosian
    /// The fit of the point spread function: position in pixels of the image, iterations, flux and its error, and
    /// squared residuals per degree of freedom.
    case xPSF, yPSF, iterationsPSF, fluxPSF, fluxErrPSF, chi2PSF
    /// Variances and covariance of that position, in pixels squared.
    case errX2PSF, errY2PSF, errXYPSF
    /// How much wider than the point spread function the source is, and the error of that.
    case spread, spreadErr
    /// Gain at the source, if it is scaled with the weights.
    case gain
    /// Background around the source above that of the image, which its fluxes are free of.
    case localBackground

    /// How many numbers it has.
    package func width(in request: MeasurementRequest) -> Int {
        switch self {
        case .fluxAper, .fluxErrAper, .flagAper: request.apertures.count
        case .fluxRadius: request.fluxFractions.count
        case .isoAreas: IsophotalProfile.levelCount
        case .xWin, .yWin, .iterationsWin, .flagWin, .x2Win, .y2Win, .xyWin, .errX2Win, .errY2Win, .errXYWin, .fluxWin,
            .fluxErrWin:
            request.isWindowed ? 1 : 0
        case .xPSF, .yPSF, .iterationsPSF, .fluxPSF, .fluxErrPSF, .chi2PSF, .errX2PSF, .errY2PSF, .errXYPSF:
            request.pointSpread == nil ? 0 : 1
        case .spread, .spreadErr: request.pointSpread?.extended.isEmpty == false ? 1 : 0
        case .gain: request.scalesGain ? 1 : 0
        case .localBackground: request.localThickness == nil ? 0 : 1
        case .petrosianRadius, .fluxPetrosian, .fluxErrPetrosian: request.petrosian == nil ? 0 : 1
        case .isoPeak, .isoThreshold: request.isOfOtherImage ? 1 : 0
        default: 1
        }
    }
}

/// Where the quantities of a source are in a row.
package struct MeasurementLayout: Sendable {
    private var places: [MeasuredQuantity: Range<Int>] = [:]
    /// Numbers in a row.
    package private(set) var width = 0

    package init(_ request: MeasurementRequest) {
        for quantity in MeasuredQuantity.allCases {
            let end = width + quantity.width(in: request)
            places[quantity] = width..<end
            width = end
        }
    }

    /// The places of a quantity; empty if it is not measured.
    package subscript(quantity: MeasuredQuantity) -> Range<Int> { places[quantity] ?? 0..<0 }
}
