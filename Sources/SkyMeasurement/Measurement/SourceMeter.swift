import SkyExtraction
import SkyFITS

/// Measures the sources of a window one after the other.
struct SourceMeter: ~Copyable {
    let pixels: PreparedPixels
    let sources: MeasurementWindow
    let parameters: ScanParameters
    let request: MeasurementRequest
    private let layout: MeasurementLayout
    private var cutout = SourceCutout()
    let owners: PixelOwners
    /// Columns and rows around a pixel that decide whether it is above the threshold.
    private let marginX: Int
    private let marginY: Int
    /// The runs of each source, by position in the window.
    private var runs: [Range<Int>]
    /// Local background of the source that is being measured, which its cut-outs are free of.
    private(set) var local: Float = 0
    /// Gain at the source that is being measured.
    private(set) var gain = 0.0
    private let runPlaces: [Int]

    /// Times that a cut-out is enlarged for a window that moves.
    private static let enlargements = 4

    init(
        _ pixels: consuming PreparedPixels, _ sources: MeasurementWindow, _ parameters: ScanParameters,
        _ request: MeasurementRequest
    ) {
        owners = PixelOwners(pixels, sources, parameters)
        let margin = IslandMargin(parameters: parameters)
        (marginX, marginY) = (margin.x, margin.y)
        let places = Self.places(of: sources)
        (runs, runPlaces) = (places.ranges, places.order)
        self.pixels = pixels
        (self.sources, self.parameters, self.request) = (sources, parameters, request)
        layout = MeasurementLayout(request)
    }

    /// The places of the runs sorted by source, and the part of each source of the window.
    private static func places(of sources: MeasurementWindow) -> (ranges: [Range<Int>], order: [Int]) {
        let positions = Dictionary(uniqueKeysWithValues: sources.index.enumerated().map { ($1, $0) })
        var byPosition = [[Int]](repeating: [], count: sources.index.count)
        for place in sources.owner.indices {
            if let position = positions[sources.owner[place]] { byPosition[position].append(place) }
        }
        var ranges: [Range<Int>] = []
        var order: [Int] = []
        for places in byPosition {
            ranges.append(order.count..<order.count + places.count)
            order += places
        }
        return (ranges, order)
    }

    /// The pixels that apertures of a source need, with an ellipse of at least this many semi-axes.
    static func reach(
        of target: ApertureTarget, ellipse radius: Double, _ parameters: ScanParameters, _ request: MeasurementRequest,
        in image: PixelRect
    ) -> PixelRect {
        let sides = EllipseShape(target).halfSides(
            radius: max(Photometer.kronSearchRadius, parameters.kronMinimum, radius))
        let limit = 6 * Double(target.a)
        let circle = max((request.apertures.max() ?? 0) / 2, limit.isFinite ? limit : 0)
        let vignette = request.vignetteArea > 0 ? (request.vignetteWidth, request.vignetteHeight) : (0, 0)
        let stamp = Double(request.pointSpread.map { $0.reach + 1 } ?? 0)
        return image.box(
            aroundX: target.x, y: target.y, halfWidth: max(sides.x, circle, Double(vignette.0 + 1) / 2, stamp),
            halfHeight: max(sides.y, circle, Double(vignette.1 + 1) / 2, stamp))
    }

    /// Adds a row for the source at `position`.
    /// - Returns: the pixels that it needs, if the window does not hold them; the row then is preliminary.
    mutating func measure(_ position: Int, into table: inout MeasurementTable) -> PixelRect? {
        let target = ApertureTarget(
            x: sources.x[position], y: sources.y[position], a: sources.a[position], b: sources.b[position],
            theta: sources.theta[position])
        var row = [Double](repeating: .nan, count: layout.width)
        let needed = measure(target, position, &row)
        table.values += row
        appendVignette(around: target, position, to: &table.vignettes)
        return needed
    }

    private mutating func measure(_ target: ApertureTarget, _ position: Int, _ row: inout [Double]) -> PixelRect? {
        measureUnexpanded(target, position, &row)?.expanded(x: marginX, y: marginY).clamped(to: pixels.image)
    }

    private mutating func measureUnexpanded(
        _ target: ApertureTarget, _ position: Int, _ row: inout [Double]
    ) -> PixelRect? {
        // A task may come from the network: positions far outside are not measured.
        guard abs(target.x) < 1e9, abs(target.y) < 1e9 else { return nil }
        let image = pixels.image
        gain = gain(at: position)
        set(.gain, [gain], &row)
        let own = box(ofPixels: position)
        let core = self.box(ofPixels: position, absorbed: false)
        let frame = request.localThickness.map { LocalBackground(around: core, thickness: $0, in: image) }
        local = 0
        var box = Self.reach(of: target, ellipse: 0, parameters, request, in: image).union(own)
        if let frame { box = box.union(frame.outer) }
        if box.isEmpty { return nil }
        // As in SExtractor, pixels of neighbours do not count for the Kron radius, even if they are replaced elsewhere.
        let isReplaced = request.masking == .correct
        guard take(box, target, position, isReplaced ? .blank : request.masking) else { return box }
        let kron = kronRadius(target, position)
        set(.kronRadius, [kron.radius], &row)
        set(.kronFlag, [Double(kron.flag)], &row)
        let radius = max(parameters.kronFactor * kron.radius, parameters.kronMinimum)
        let petrosian = request.petrosian.map { max($0.factor * petrosianRadius(target, &row), $0.minimum) }
        let larger = Self.reach(of: target, ellipse: max(radius, petrosian ?? 0), parameters, request, in: image)
            .union(own)
        if let frame {
            local = frame.level(pixels, owners, request.masking)
            set(.localBackground, [Double(local)], &row)
        }
        if isReplaced && cutout.hasForeign || local != 0 || !box.contains(larger) {
            box = box.union(larger)
            guard take(box, target, position, request.masking) else { return box }
        }
        let flux = measureFluxes(target, radius, &row)
        if let petrosian {
            let found = ellipseFlux(target, petrosian)
            set(.fluxPetrosian, [found.flux], &row)
            set(.fluxErrPetrosian, [found.error], &row)
        }
        let half = measureRadii(target, flux, &row)
        measureProfile(target, position, &row)
        measurePointSpread(target, position, &row)
        return request.isWindowed ? measureWindowed(target, position, half, box, &row) : nil
    }

    /// Copies the pixels of a box.
    /// - Returns: false if the window does not hold it.
    private mutating func take(
        _ box: PixelRect, _ target: ApertureTarget, _ position: Int, _ masking: MeasurementRequest.Masking
    ) -> Bool {
        guard pixels.rect.contains(box.expanded(x: marginX, y: marginY).clamped(to: pixels.image)) else { return false }
        cutout.fill(
            box, of: pixels, owners, source: sources.index[position] + 1, around: target,
            masking: masking, gain: gain, level: local)
        return true
    }

    func set(_ quantity: MeasuredQuantity, _ values: [Double], _ row: inout [Double]) {
        for (place, value) in zip(layout[quantity], values) { row[place] = value }
    }

    private borrowing func centre(_ target: ApertureTarget) -> (x: Double, y: Double) {
        // Exact: the difference of a double and an integer below it needs no more bits.
        (target.x - Double(cutout.rect.x.lowerBound), target.y - Double(cutout.rect.y.lowerBound))
    }

    private borrowing func kronRadius(_ target: ApertureTarget, _ position: Int) -> (radius: Double, flag: Int16) {
        if !sources.kronRadius.isEmpty {
            return (sources.kronRadius[position], Int16(exactly: sources.kronFlag[position]) ?? Photometry.notMeasured)
        }
        let (x, y) = centre(target)
        return cutout.photometer().kronRadius(x: x, y: y, EllipseShape(target))
    }

    /// - Returns: the Petrosian radius in units of the axes.
    private borrowing func petrosianRadius(_ target: ApertureTarget, _ row: inout [Double]) -> Double {
        let (x, y) = centre(target)
        let radius = cutout.petrosianRadius(x: x, y: y, shape: EllipseShape(target))
        set(.petrosianRadius, [radius], &row)
        return radius
    }

    /// - Returns: the flux in an ellipse of `radius` axes.
    private borrowing func ellipseFlux(_ target: ApertureTarget, _ radius: Double) -> ApertureFlux {
        let (x, y) = centre(target)
        let shape = EllipseShape(target)
        var found = cutout.photometer(hasPhotons: !countsPhotons).ellipse(x: x, y: y, shape, radius: radius)
        if countsPhotons {
            let photons = cutout.photonVariance(x: x, y: y, shape: shape, radius: radius, gain: parameters.gain)
            found.error = (found.error * found.error + photons).squareRoot()
        }
        return found
    }

    /// - Returns: the flux in the Kron ellipse.
    private borrowing func measureFluxes(_ target: ApertureTarget, _ radius: Double, _ row: inout [Double]) -> Double {
        let photometer = cutout.photometer(hasPhotons: !countsPhotons)
        let (x, y) = centre(target)
        let whole = ellipseFlux(target, radius)
        set(.fluxAuto, [whole.flux], &row)
        set(.fluxErrAuto, [whole.error], &row)
        set(.flagAuto, [Double(whole.flag)], &row)
        let shape = EllipseShape(target)
        // In either ellipse, as in SExtractor.
        let shares = [Photometer.kronSearchRadius, radius].map {
            cutout.foreignShare(x: x, y: y, shape: shape, radius: $0)
        }
        set(.contamination, [max(shares[0], shares[1])], &row)
        let sides = shape.halfSides(radius: max(Photometer.kronSearchRadius, radius))
        let (right, top) = (Double(pixels.image.width) - 0.5, Double(pixels.image.height) - 0.5)
        let isCut =
            target.x - sides.x < -0.5 || target.y - sides.y < -0.5 || target.x + sides.x > right
            || target.y + sides.y > top
        set(.isCut, [isCut ? 1 : 0], &row)
        for (index, diameter) in request.apertures.enumerated() {
            var sum = photometer.circle(x: x, y: y, radius: diameter / 2)
            if countsPhotons {
                let photons = cutout.photonVariance(x: x, y: y, radius: diameter / 2, gain: parameters.gain)
                sum.error = (sum.error * sum.error + photons).squareRoot()
            }
            row[layout[.fluxAper].lowerBound + index] = sum.flux
            row[layout[.fluxErrAper].lowerBound + index] = sum.error
            row[layout[.flagAper].lowerBound + index] = Double(sum.flag)
        }
        return whole.flux
    }

    /// - Returns: the radius of half of the flux, 0 if there is none.
    private borrowing func measureRadii(_ target: ApertureTarget, _ flux: Double, _ row: inout [Double]) -> Double {
        let radii = request.fluxFractions.map { fluxRadius(target, flux, $0) }
        set(.fluxRadius, radii, &row)
        return request.fluxFractions.firstIndex(of: 0.5).map { radii[$0] } ?? fluxRadius(target, flux, 0.5)
    }

    private borrowing func fluxRadius(_ target: ApertureTarget, _ flux: Double, _ share: Double) -> Double {
        let limit = 6 * Double(target.a)
        guard flux > 0, limit > 1e-6, limit.isFinite else { return 0 }
        let (x, y) = centre(target)
        let radius = cutout.photometer().fluxRadius(x: x, y: y, limit: limit, flux: share * flux)
        return radius.isFinite ? radius : 0
    }

    /// - Returns: the pixels that the moving window needs, if the window of pixels does not hold them.
    private mutating func measureWindowed(
        _ target: ApertureTarget, _ position: Int, _ half: Double, _ box: PixelRect, _ row: inout [Double]
    ) -> PixelRect? {
        // The half-flux diameter is the full width at half maximum of the window. SExtractor rounds the factor, and
        // takes half a pixel for a smaller radius.
        let sigma = max(half, 0.5) * 2 / 2.35
        var box = box
        for attempt in 0...Self.enlargements {
            let (x, y) = centre(target)
            let moments = WindowedMoments(cutout.grid(), x: x, y: y, sigma: sigma)
            let (left, top) = (Double(cutout.rect.x.lowerBound), Double(cutout.rect.y.lowerBound))
            set(.xWin, [moments.x + left], &row)
            set(.yWin, [moments.y + top], &row)
            set(.iterationsWin, [Double(moments.iterations)], &row)
            var flags = moments.flags
            if EllipseShape(target).hasStrayed(x: moments.x - x, y: moments.y - y) { flags.insert(.strayed) }
            set(.flagWin, [Double(flags.rawValue)], &row)
            set(.x2Win, [moments.x2], &row)
            set(.y2Win, [moments.y2], &row)
            set(.xyWin, [moments.xy], &row)
            set(.errX2Win, [moments.errX2], &row)
            set(.errY2Win, [moments.errY2], &row)
            set(.errXYWin, [moments.errXY], &row)
            set(.fluxWin, [moments.flux], &row)
            set(.fluxErrWin, [moments.fluxErr], &row)
            let reach = moments.reach
            let (halfX, halfY) = (
                (reach.x.upperBound - reach.x.lowerBound) / 2, (reach.y.upperBound - reach.y.lowerBound) / 2
            )
            let needed = pixels.image.box(
                aroundX: reach.x.lowerBound + halfX + left, y: reach.y.lowerBound + halfY + top, halfWidth: halfX,
                halfHeight: halfY)
            if needed.isEmpty || box.contains(needed) || attempt == Self.enlargements { return nil }
            box = box.union(needed)
            guard take(box, target, position, request.masking) else { return box }
        }
        return nil
    }

    // MARK: - The source's pixels

    private func box(ofPixels position: Int, absorbed: Bool = true) -> PixelRect {
        var box = PixelRect(x: 0..<0, y: 0..<0)
        for place in runPlaces[runs[position]] where absorbed || !sources.isAbsorbed[place] {
            let (x, y) = (Int(sources.column[place]), Int(sources.row[place]))
            let run = PixelRect(x: x..<x + Int(sources.length[place]), y: y..<y + 1)
            box = box.isEmpty ? run : box.union(run)
        }
        return box
    }

    private func measureProfile(_ target: ApertureTarget, _ position: Int, _ row: inout [Double]) {
        var samples: [IsophotalProfile.Sample] = []
        var (flux, variance) = (0.0, 0.0)
        let (rect, globalNoise) = (pixels.rect, Double(pixels.globalNoise))
        for place in runPlaces[runs[position]] {
            let (first, y) = (Int(sources.column[place]), Int(sources.row[place]))
            let dy = Double(y) - target.y
            for x in first..<first + Int(sources.length[place]) {
                let offset = (y - rect.y.lowerBound) * rect.width + x - rect.x.lowerBound
                let (value, dx) = (pixels.pixels[offset], Double(x) - target.x)
                flux += Double(value - local)
                if !sources.isAbsorbed[place] {
                    samples.append(.init(value: value, squaredDistance: dx * dx + dy * dy))
                }
                let noise = pixels.noiseMap.map { Double($0[offset]) } ?? globalNoise
                variance += noise * noise
            }
        }
        let detection = sources.thresh[position]
        var threshold = request.analysisThreshold.map { detection * Float($0 / parameters.threshold) } ?? detection
        var peak = sources.peak[position]
        if request.isOfOtherImage {
            threshold = Float(request.analysisThreshold ?? parameters.threshold) * noise(position)
            peak = samples.map(\.value).max() ?? 0
        }
        let profile = IsophotalProfile(
            samples, threshold: threshold, peak: peak, ceiling: sources.ceiling[position],
            axes: Double(target.a) * Double(target.b), local: local)
        set(.isoPeak, [Double(peak)], &row)
        set(.isoThreshold, [Double(threshold)], &row)
        set(.isoFlux, [flux], &row)
        set(.isoVariance, [variance], &row)
        set(.isoAreas, profile.areas.map(Double.init), &row)
        set(.fwhm, [profile.fwhm], &row)
    }

    /// Whether photon noise is summed pixel by pixel, as SExtractor does if weights scale the gain.
    private var countsPhotons: Bool { request.scalesGain && parameters.gain > 0 }

    /// The gain at a source: with ``MeasurementRequest/scalesGain`` that of a pixel whose noise is the image's, scaled by
    /// the weight of the source's pixel.
    private func gain(at position: Int) -> Double {
        let (noise, usual) = (Double(noise(position)), Double(pixels.globalNoise))
        guard request.scalesGain, noise > 0, usual > 0 else { return parameters.gain }
        return parameters.gain * usual * usual / (noise * noise)
    }

    /// The noise at the barycentre of a source.
    private func noise(_ position: Int) -> Float {
        guard let map = pixels.noiseMap else { return pixels.globalNoise }
        let (x, y) = (Int(sources.x[position].rounded()), Int(sources.y[position].rounded()))
        let rect = pixels.rect
        guard rect.contains(x: x, y: y) else { return pixels.globalNoise }
        return map[(y - rect.y.lowerBound) * rect.width + x - rect.x.lowerBound]
    }

    private func appendVignette(around target: ApertureTarget, _ position: Int, to vignettes: inout [Float]) {
        let (width, height) = (request.vignetteWidth, request.vignetteHeight)
        if request.vignetteArea == 0 { return }
        guard abs(target.x) < 1e9, abs(target.y) < 1e9 else {
            return vignettes.append(contentsOf: repeatElement(VignetteValue.none, count: width * height))
        }
        let left = Int((target.x + 0.5).rounded(.down)) - width / 2
        let top = Int((target.y + 0.5).rounded(.down)) - height / 2
        let rect = pixels.rect
        for y in top..<top + height {
            for x in left..<left + width {
                guard rect.contains(x: x, y: y) else {
                    vignettes.append(VignetteValue.none)
                    continue
                }
                let offset = (y - rect.y.lowerBound) * rect.width + x - rect.x.lowerBound
                let isOther = owners.isForeign(offset, to: sources.index[position] + 1)
                let isBad = pixels.mask.map { $0[offset] != 0 } ?? false
                vignettes.append(
                    isBad || isOther && request.masking != .none ? VignetteValue.none : pixels.pixels[offset])
            }
        }
    }
}
