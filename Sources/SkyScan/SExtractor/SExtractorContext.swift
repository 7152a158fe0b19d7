internal import CElementary
internal import Foundation
import SkyExtraction
public import SkyFITS
import SkyMeasurement
internal import SkyTrails

/// Measurements of an image, from which the values of columns are derived.
///
/// It holds the sources, the measurements and the settings of one image. Each ``SExtractorColumn`` has a function that
/// takes this context and returns values of all sources, using the properties below: flags, fluxes and magnitudes,
/// local background, association, and positions and moments in the extension.
package struct SExtractorContext: ~Copyable {
    let sources: SourceTable
    let settings: SExtractorSettings
    let parameters: ScanParameters
    let request: MeasurementRequest
    let measured: SkyScanResult.Measured
    /// Number of the extension, from 1.
    let extensionNumber: Int
    /// Island of each source, from 1.
    let parents: [Double]
    /// Background at the position of each source.
    let background: [Double]
    /// Bounding box of the pixels of each source, including pixels of sources that it absorbed; ``areas`` are their
    /// numbers.
    let boxes: [PixelRect]
    let areas: [Double]
    /// Saturation level of this image.
    let saturation: Double
    let wcs: CelestialWCS?
    /// Side of a pixel in arcseconds.
    let pixelScale: Double
    /// Match of each source, if there is a list of associated positions.
    let matches: [Association.Match]?
    /// Combined flags and number of flagged pixels of each source, if there is a flag image.
    var imageFlags: (values: [Double], counts: [Double])?
    /// Classifier of stars, or nil if CLASS_STAR is not selected.
    var network: StarNetwork?

    init(
        _ result: SkyScanResult, _ measured: SkyScanResult.Measured, image: ImageSummary, parameters: ScanParameters,
        request: MeasurementRequest, settings: SExtractorSettings, extensionNumber: Int
    ) {
        sources = result.sources
        (self.settings, self.parameters, self.request, self.measured) = (settings, parameters, request, measured)
        self.extensionNumber = extensionNumber
        parents = measured.parents.map(Double.init)
        let extents = zip(measured.pixels.extents, measured.absorbed.extents)
        boxes = extents.map { $1.box.isEmpty ? $0.box : $0.box.union($1.box) }
        areas = extents.map { Double($0.area + $1.area) }
        background = measured.background.levels(x: sources.x, y: sources.y).map(Double.init)
        saturation = settings.saturation(of: image.cards)
        let wcs = try? CelestialWCS(header: image.header)
        self.wcs = wcs
        matches = result.matches(settings.association, wcs)
        let middle = wcs.map { $0.scales(x: [Double(image.width) / 2], y: [Double(image.height) / 2]) }
        let scale = (middle?.first?.area ?? 0).squareRoot() * 3600
        pixelScale =
            settings.pixelScale > 0 ? settings.pixelScale : scale > 0 ? scale : settings.pixelScaleWithoutCoordinates
    }

    // MARK: - Shapes of values

    func one(_ values: [Double]) -> [[Double]] { [values] }

    func constant(_ value: Double) -> [Double] { Array(repeating: value, count: sources.count) }

    /// Returns the components of a measured quantity.
    subscript(quantity: MeasuredQuantity) -> [[Double]] { measured.table.components(quantity, request) }

    private func first(_ quantity: MeasuredQuantity) -> [Double] { self[quantity].first ?? constant(.nan) }

    var numbers: [Double] { (0..<sources.count).map { Double($0 + 1) } }

    // MARK: - Flags

    /// Values of SExtractor's FLAGS column.
    var flags: [Double] {
        let (contamination, isCut, levels) = (first(.contamination), first(.isCut), highestPixels)
        return (0..<sources.count).map { index in
            var flags = 0
            if request.masking != .none, contamination[index] > 0.1 { flags |= 1 }
            let own = Int(sources.flag[index])
            if own & 1 != 0 { flags |= 2 }
            if levels[index] + background[index] >= saturation { flags |= 4 }
            if own & 2 != 0 { flags |= 8 }
            if own & TrailFlag.bit != 0 { flags |= TrailFlag.bit }
            if isCut[index] == 1 { flags |= 16 }
            return Double(flags)
        }
    }

    // MARK: - Fluxes

    /// Returns the magnitudes of fluxes, or 99 for fluxes that are not positive.
    func magnitudes(_ fluxes: [[Double]]) -> [[Double]] {
        fluxes.map { $0.map { $0 > 0 ? settings.zeroPoint - 2.5 * Elementary.log10($0) : 99 } }
    }

    /// Returns the errors of magnitudes, with SExtractor's rounded factor, or 99 for fluxes that are not positive.
    func magnitudeErrors(_ fluxes: [[Double]], _ errors: [[Double]]) -> [[Double]] {
        zip(fluxes, errors).map { fluxes, errors in
            zip(fluxes, errors).map { $0 > 0 ? 1.086 * $1 / $0 : 99 }
        }
    }

    /// Returns surface brightness in magnitudes per square arcsecond.
    func surfaceBrightness(_ levels: [Double]) -> [Double] {
        let area = pixelScale * pixelScale
        return levels.map { $0 > 0 ? settings.zeroPoint - 2.5 * Elementary.log10($0 / area) : 99 }
    }

    /// Highest pixel of each source above the background of the meshes.
    private var highestPixels: [Double] { request.isOfOtherImage ? first(.isoPeak) : sources.peak.map(Double.init) }

    var analysisThresholds: [Double] {
        if request.isOfOtherImage { return first(.isoThreshold) }
        let factor = (request.analysisThreshold ?? parameters.threshold) / parameters.threshold
        return sources.thresh.map { Double($0) * factor }
    }

    var fluxIso: [Double] { first(.isoFlux) }

    var fluxErrIso: [Double] {
        let (variances, fluxes) = (first(.isoVariance), fluxIso)
        let gains = self[.gain].first ?? constant(parameters.gain)
        return (0..<sources.count).map { index in
            let photons = gains[index] > 0 && fluxes[index] > 0 ? fluxes[index] / gains[index] : 0
            return (variances[index] + photons).squareRoot()
        }
    }

    /// Corrects isophotal fluxes for the wings of Gaussian profiles below the threshold, as in Maddox et al. (1990),
    /// with coefficients and limits of SExtractor that were found by experiment.
    private enum WingCorrection {
        private static let linear = 0.196099
        private static let quadratic = 0.751208

        /// Returns the detection threshold times the area, in units of the isophotal flux and limited to 0 to 1.
        static func ratio(area: Double, threshold: Double, flux: Double) -> Double {
            flux > 0 ? min(max(area * threshold / flux, 0), 1) : 0
        }

        /// Returns the share of the flux above the threshold.
        static func share(_ ratio: Double) -> Double { 1 - ratio * (linear + quadratic * ratio) }

        /// Returns the relative change of the share with the relative change of the ratio.
        static func slope(_ ratio: Double) -> Double { ratio * (linear + 2 * quadratic * ratio) }
    }

    /// Ratios for the detection threshold, which is also used for measurements in another image.
    private var wingRatios: [Double] {
        let fluxes = fluxIso
        return (0..<sources.count).map {
            WingCorrection.ratio(area: areas[$0], threshold: Double(sources.thresh[$0]), flux: fluxes[$0])
        }
    }

    var fluxIsoCor: [Double] { zip(fluxIso, wingRatios).map { $0 / WingCorrection.share($1) } }

    /// Errors that combine the error of the isophotal flux with that of the correction, which depends on flux and area.
    var fluxErrIsoCor: [Double] {
        let (fluxes, errors, ratios) = (fluxIso, fluxErrIso, wingRatios)
        return (0..<sources.count).map { index in
            guard areas[index] > 0 else { return errors[index] }
            let (variance, slope) = (errors[index] * errors[index], WingCorrection.slope(ratios[index]))
            let relative = variance + fluxes[index] * fluxes[index] / areas[index]
            return (variance + slope * slope * relative).squareRoot()
        }
    }

    /// FLUX_AUTO, or FLUX_ISOCOR for sources whose aperture is contaminated by neighbours.
    var fluxBest: [Double] { best(first(.fluxAuto), fluxIsoCor) }

    var fluxErrBest: [Double] { best(first(.fluxErrAuto), fluxErrIsoCor) }

    private func best(_ auto: [Double], _ iso: [Double]) -> [Double] {
        zip(first(.contamination), zip(auto, iso)).map { $0 > 0.1 ? $1.1 : $1.0 }
    }

    /// Kron radius as written by SExtractor, which is that of the aperture.
    var kronRadii: [Double] {
        first(.kronRadius).map { max(parameters.kronFactor * $0, parameters.kronMinimum) }
    }

    /// Petrosian radius as written by SExtractor, which is that of the aperture.
    var petrosianRadii: [Double] {
        guard let petrosian = request.petrosian else { return constant(.nan) }
        return first(.petrosianRadius).map { max(petrosian.factor * $0, petrosian.minimum) }
    }

    // MARK: - Local background

    private var localBackground: [Double] { self[.localBackground].first ?? constant(0) }

    /// Sum of the background and the local background of each source.
    var totalBackground: [Double] { zip(background, localBackground).map(+) }

    /// Highest pixel of each source above its local background.
    var peaks: [Double] { zip(highestPixels, localBackground).map(-) }

    // MARK: - Association

    var associationCounts: [Double] { matches?.map { Double($0.count) } ?? constant(0) }

    var associatedValues: [[Double]] {
        guard let matches, let settings = settings.association else { return one(constant(0)) }
        return settings.data.indices.map { place in matches.map { $0.values[place] } }
    }

    /// Indices of the sources to write, or nil for all sources.
    var selectedSources: [Int]? { matches.flatMap { settings.association?.selected(of: $0) } }

    /// Converts areas in pixels to square degrees.
    func worldAreas(_ pixels: [Double]) -> [Double] {
        let side = pixelScale / 3600
        return pixels.map { $0 * side * side }
    }

    /// Probability that a source is a star, from 0 to 1.
    var stellarity: [Double] {
        guard let network else { return constant(0) }
        let (areas, thresholds, peaks) = (self[.isoAreas], analysisThresholds, peaks)
        let width = settings.seeing / pixelScale
        return (0..<sources.count).map { index in
            network.stellarity(
                areas: areas.map { $0[index] }, peak: peaks[index],
                threshold: thresholds[index], width: width, seeing: settings.seeing)
        }
    }
}

extension SExtractorSettings {
    /// Returns the saturation level of an image with these cards.
    public func saturation(of cards: ImageCards) -> Double { cards.value(saturationKeyword)?.number ?? saturation }
}
