internal import Foundation
import SkyExtraction
public import SkyFITS
import SkyMeasurement

/// The measurements of an image, from which columns are derived.
package struct SExtractorContext: ~Copyable {
    let sources: SourceTable
    let settings: SExtractorSettings
    let parameters: ScanParameters
    let request: MeasurementRequest
    let measured: SkyScanResult.Measured
    /// From 1.
    let extensionNumber: Int
    /// Island of each source, from 1.
    let parents: [Double]
    /// Background at each source.
    let background: [Double]
    /// First and last column and row of the pixels of each source, those that it absorbed included; and their number.
    let boxes: [PixelRect]
    let areas: [Double]
    /// Level of saturation of this image.
    let saturation: Double
    let wcs: CelestialWCS?
    /// In arcseconds.
    let pixelScale: Double
    /// What each source is associated with, if there is a list.
    let matches: [Association.Match]?
    /// Combined flags and their number, if there is a flag image.
    var imageFlags: (values: [Double], counts: [Double])?
    /// Classifies stars; nil if CLASS_STAR is not wanted.
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

    /// The components of a measured quantity.
    subscript(quantity: MeasuredQuantity) -> [[Double]] { measured.table.components(quantity, request) }

    private func first(_ quantity: MeasuredQuantity) -> [Double] { self[quantity].first ?? constant(.nan) }

    var numbers: [Double] { (0..<sources.count).map { Double($0 + 1) } }

    // MARK: - Flags

    /// SExtractor's FLAGS.
    var flags: [Double] {
        let (contamination, isCut, levels) = (first(.contamination), first(.isCut), highestPixels)
        return (0..<sources.count).map { index in
            var flags = 0
            if request.masking != .none, contamination[index] > 0.1 { flags |= 1 }
            let own = Int(sources.flag[index])
            if own & 1 != 0 { flags |= 2 }
            if levels[index] + background[index] >= saturation { flags |= 4 }
            if own & 2 != 0 { flags |= 8 }
            if isCut[index] == 1 { flags |= 16 }
            return Double(flags)
        }
    }

    // MARK: - Fluxes

    /// Magnitudes of fluxes; 99 where they are not positive.
    func magnitudes(_ fluxes: [[Double]]) -> [[Double]] {
        fluxes.map { $0.map { $0 > 0 ? settings.zeroPoint - 2.5 * log10($0) : 99 } }
    }

    /// Errors of magnitudes, with SExtractor's rounded factor; 99 where fluxes are not positive.
    func magnitudeErrors(_ fluxes: [[Double]], _ errors: [[Double]]) -> [[Double]] {
        zip(fluxes, errors).map { fluxes, errors in
            zip(fluxes, errors).map { $0 > 0 ? 1.086 * $1 / $0 : 99 }
        }
    }

    /// Magnitudes per square arcsecond.
    func surfaceBrightness(_ levels: [Double]) -> [Double] {
        let area = pixelScale * pixelScale
        return levels.map { $0 > 0 ? settings.zeroPoint - 2.5 * log10($0 / area) : 99 }
    }

    /// The highest pixel of each source above the background of the meshes.
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

    /// The correction of isophotal fluxes for wings below the threshold, that of Gaussian profiles: Maddox et al. (1990)
    /// with the coefficients and limits of SExtractor, found by experiment.
    private enum WingCorrection {
        private static let linear = 0.196099
        private static let quadratic = 0.751208

        /// The detection threshold times the area in units of the isophotal flux: 0 to 1.
        static func ratio(area: Double, threshold: Double, flux: Double) -> Double {
            flux > 0 ? min(max(area * threshold / flux, 0), 1) : 0
        }

        /// The share of the flux that is above the threshold.
        static func share(_ ratio: Double) -> Double { 1 - ratio * (linear + quadratic * ratio) }

        /// The relative change of the share with that of the ratio.
        static func slope(_ ratio: Double) -> Double { ratio * (linear + 2 * quadratic * ratio) }
    }

    /// Of the threshold of detection, also in another image.
    private var wingRatios: [Double] {
        let fluxes = fluxIso
        return (0..<sources.count).map {
            WingCorrection.ratio(area: areas[$0], threshold: Double(sources.thresh[$0]), flux: fluxes[$0])
        }
    }

    var fluxIsoCor: [Double] { zip(fluxIso, wingRatios).map { $0 / WingCorrection.share($1) } }

    /// The error of the isophotal flux, and that of the correction by flux and area.
    var fluxErrIsoCor: [Double] {
        let (fluxes, errors, ratios) = (fluxIso, fluxErrIso, wingRatios)
        return (0..<sources.count).map { index in
            guard areas[index] > 0 else { return errors[index] }
            let (variance, slope) = (errors[index] * errors[index], WingCorrection.slope(ratios[index]))
            let relative = variance + fluxes[index] * fluxes[index] / areas[index]
            return (variance + slope * slope * relative).squareRoot()
        }
    }

    /// FLUX_AUTO, but FLUX_ISOCOR of sources whose aperture neighbours contaminate.
    var fluxBest: [Double] { best(first(.fluxAuto), fluxIsoCor) }

    var fluxErrBest: [Double] { best(first(.fluxErrAuto), fluxErrIsoCor) }

    private func best(_ auto: [Double], _ iso: [Double]) -> [Double] {
        zip(first(.contamination), zip(auto, iso)).map { $0 > 0.1 ? $1.1 : $1.0 }
    }

    /// The Kron radius as SExtractor writes it: that of the aperture.
    var kronRadii: [Double] {
        first(.kronRadius).map { max(parameters.kronFactor * $0, parameters.kronMinimum) }
    }

    /// The Petrosian radius as SExtractor writes it: that of the aperture.
    var petrosianRadii: [Double] {
        guard let petrosian = request.petrosian else { return constant(.nan) }
        return first(.petrosianRadius).map { max(petrosian.factor * $0, petrosian.minimum) }
    }

    // MARK: - Local background

    private var localBackground: [Double] { self[.localBackground].first ?? constant(0) }

    /// Background with that around each source.
    var totalBackground: [Double] { zip(background, localBackground).map(+) }

    /// Highest pixels above the background around each source.
    var peaks: [Double] { zip(highestPixels, localBackground).map(-) }

    // MARK: - Association

    var associationCounts: [Double] { matches?.map { Double($0.count) } ?? constant(0) }

    var associatedValues: [[Double]] {
        guard let matches, let settings = settings.association else { return one(constant(0)) }
        return settings.data.indices.map { place in matches.map { $0.values[place] } }
    }

    /// The sources that are written, by index; nil: all.
    var selectedSources: [Int]? { matches.flatMap { settings.association?.selected(of: $0) } }

    /// In degrees².
    func worldAreas(_ pixels: [Double]) -> [Double] {
        let side = pixelScale / 3600
        return pixels.map { $0 * side * side }
    }

    /// How much a source is like a star, 0 to 1.
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
    /// The level of saturation of an image with these cards.
    public func saturation(of cards: ImageCards) -> Double { cards.value(saturationKeyword)?.number ?? saturation }
}
