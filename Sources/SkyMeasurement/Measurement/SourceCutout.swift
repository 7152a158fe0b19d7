internal import CSkyKernel
internal import ScanBasics
import SkyExtraction
import SkyFITS

/// A copy of the pixels around one source in which those of other sources are masked; its memory is used again.
struct SourceCutout: ~Copyable {
    /// The copied pixels, in image coordinates.
    private(set) var rect = PixelRect(x: 0..<0, y: 0..<0)
    private var capacity = 0
    private var pixels = UnsafeMutablePointer<Float>.allocate(capacity: 0)
    private var noise = UnsafeMutablePointer<Float>.allocate(capacity: 0)
    private var mask = UnsafeMutablePointer<UInt8>.allocate(capacity: 0)
    private var foreign = UnsafeMutablePointer<UInt8>.allocate(capacity: 0)
    private var hasMask = false
    private var hidesForeign = false
    private var isMirrored = false
    /// Whether a pixel is masked or another source's; without one, all rules for them give the same copy.
    private(set) var hasForeign = false
    private var hasNoise = false
    private var globalNoise = 0.0
    private var gain = 0.0

    init() {}

    deinit {
        pixels.deallocate()
        noise.deallocate()
        mask.deallocate()
        foreign.deallocate()
    }

    /// Copies the pixels of `box`, which lies in the window.
    /// - Parameters:
    ///   - box: what is copied, in image coordinates.
    ///   - window: holds the pixels.
    ///   - owners: the sources of the window's pixels.
    ///   - source: the number of this source.
    ///   - target: its barycentre, opposite to which pixels are taken.
    ///   - masking: what happens to pixels of other sources.
    ///   - gain: as ``ScanParameters/gain``.
    ///   - level: is subtracted from the samples.
    mutating func fill(
        _ box: PixelRect, of window: borrowing PreparedPixels, _ owners: borrowing PixelOwners, source: Int32,
        around target: ApertureTarget, masking: MeasurementRequest.Masking, gain: Double,
        level: Float
    ) {
        reserve(box.area)
        rect = box
        hasMask = masking == .none && window.mask != nil
        (hidesForeign, isMirrored) = (masking != .none, masking == .correct)
        hasNoise = window.noiseMap != nil
        (globalNoise, self.gain) = (Double(window.globalNoise), gain)
        hasForeign = false
        let opposite = (Self.opposite(target.x), Self.opposite(target.y))
        let (left, top, width) = (window.rect.x.lowerBound, window.rect.y.lowerBound, window.rect.width)
        var place = 0
        for y in box.y {
            let line = (y - top) * width - left
            for x in box.x {
                let offset = line + x
                let isBad = window.mask.map { $0[offset] != 0 } ?? false
                let isForeign = isBad || owners.isForeign(offset, to: source)
                foreign[place] = isForeign ? 1 : 0
                if isForeign { hasForeign = true }
                var origin = offset
                if isForeign, masking != .none {
                    origin = -1
                    let (mirrorX, mirrorY) = (opposite.0 - x, opposite.1 - y)
                    if masking == .correct, box.contains(x: mirrorX, y: mirrorY) {
                        let candidate = (mirrorY - top) * width - left + mirrorX
                        let isMasked = window.mask.map { $0[candidate] != 0 } ?? false
                        if !isMasked, !owners.isForeign(candidate, to: source) { origin = candidate }
                    }
                }
                pixels[place] = origin < 0 ? 0 : window.pixels[origin] - level
                if let noiseMap = window.noiseMap {
                    noise[place] = origin >= 0 ? noiseMap[origin] : isBad ? 0 : noiseMap[offset]
                }
                if hasMask, let bits = window.mask { mask[place] = bits[offset] }
                place += 1
            }
        }
    }

    /// The sum of the columns, or of the rows, of a pixel and the one on the other side of `centre`.
    static func opposite(_ centre: Double) -> Int { Int((2 * centre + 0.5).rounded(.down)) }

    private mutating func reserve(_ count: Int) {
        guard count > capacity else { return }
        capacity = count + count / 2
        pixels.deallocate()
        noise.deallocate()
        mask.deallocate()
        foreign.deallocate()
        pixels = .allocate(capacity: capacity)
        noise = .allocate(capacity: capacity)
        mask = .allocate(capacity: capacity)
        foreign = .allocate(capacity: capacity)
    }

    /// Measures apertures in the cut-out, until its next change, at positions relative to it; without photon noise if that
    /// is counted apart.
    func photometer(hasPhotons: Bool = true) -> Photometer {
        let global = Float(globalNoise)
        let field = skyfarm_field(
            pixels: UnsafePointer(pixels), noise: hasNoise ? UnsafePointer(noise) : nil, global_noise: global,
            global_variance: global * global, width: Int32(rect.width), height: Int32(rect.height), x: 0, y: 0,
            gain: hasPhotons ? gain : 0)
        return Photometer(field, mask: hasMask ? UnsafePointer(mask) : nil)
    }

    /// For windowed moments, valid until the next change of the cut-out.
    func grid() -> WindowedMoments.PixelGrid {
        WindowedMoments.PixelGrid(
            pixels: UnsafePointer(pixels), foreign: hasForeign && isMirrored ? UnsafePointer(foreign) : nil,
            noise: hasNoise ? UnsafePointer(noise) : nil, globalNoise: globalNoise,
            gain: gain, width: rect.width, height: rect.height)
    }

    /// The photon noise in a circle, squared, as SExtractor counts it under WEIGHT_GAIN: that of whole pixels as far as
    /// 0.75 pixels outside of the circle, but within its box.
    borrowing func photonVariance(x: Double, y: Double, radius: Double, gain: Double) -> Double {
        let (left, top) = (Double(rect.x.lowerBound), Double(rect.y.lowerBound))
        func box(_ centre: Double, _ length: Int, _ origin: Double) -> Range<Int> {
            let first = Int((centre + origin - radius + 0.499999).rounded(.towardZero) - origin)
            let end = Int((centre + origin + radius + 1.499999).rounded(.towardZero) - origin)
            return (first..<max(first, end)).clamped(to: 0..<length)
        }
        let limit = (radius + 0.75) * (radius + 0.75)
        return photonVariance(box(x, rect.width, left), box(y, rect.height, top), gain) { column, row in
            let (dx, dy) = (Double(column) - x, Double(row) - y)
            return dx * dx + dy * dy < limit
        }
    }

    /// The same in an ellipse of `radius` axes: of the pixels whose centres it holds.
    borrowing func photonVariance(x: Double, y: Double, shape: EllipseShape, radius: Double, gain: Double) -> Double {
        photonVariance(0..<rect.width, 0..<rect.height, gain) { column, row in
            let (dx, dy) = (Double(column) - x, Double(row) - y)
            return shape.cxx * dx * dx + shape.cyy * dy * dy + shape.cxy * dx * dy <= radius * radius
        }
    }

    /// The sum of the positive samples in units of `gain`, which is that of a pixel of the usual noise.
    private borrowing func photonVariance(
        _ columns: Range<Int>, _ rows: Range<Int>, _ gain: Double, _ isInside: (Int, Int) -> Bool
    ) -> Double {
        let usual = globalNoise * globalNoise
        var sum = 0.0
        for row in rows {
            for column in columns where isInside(column, row) {
                let place = row * rect.width + column
                guard pixels[place] > 0, !(hasMask && mask[place] != 0) else { continue }
                let ratio = hasNoise && usual > 0 ? Double(noise[place]) * Double(noise[place]) / usual : 1
                sum += Double(pixels[place]) * ratio
            }
        }
        return sum / gain
    }

    /// The share of the pixels within an ellipse around `x`, `y` that are masked or another source's.
    borrowing func foreignShare(x: Double, y: Double, shape: EllipseShape, radius: Double) -> Double {
        if !hasForeign { return 0 }
        var (inside, count) = (0, 0)
        for row in 0..<rect.height {
            let dy = Double(row) - y
            for column in 0..<rect.width {
                let dx = Double(column) - x
                if shape.cxx * dx * dx + shape.cyy * dy * dy + shape.cxy * dx * dy > radius * radius { continue }
                inside += 1
                count += Int(foreign[row * rect.width + column])
            }
        }
        return inside == 0 ? 0 : Double(count) / Double(inside)
    }

    /// The Petrosian radius of a source at `x`, `y`, in units of its axes, as SExtractor searches it.
    ///
    /// At radius r the mean of the samples between r and 1.2 r is below a fifth of that within 1.1 r, the result.
    /// Pixels of other sources and masked ones do not count. Tried in steps of 0.3 while 1.2 r is within 6 axes; the last one if there is no such radius.
    borrowing func petrosianRadius(x: Double, y: Double, shape: EllipseShape) -> Double {
        // All limits are multiples of a tenth of the step.
        let (step, lastRing) = (0.03, 200)
        var sums = [Double](repeating: 0, count: lastRing + 1)
        var counts = [Int](repeating: 0, count: lastRing + 1)
        for row in 0..<rect.height {
            let dy = Double(row) - y
            for column in 0..<rect.width {
                let dx = Double(column) - x
                let squared = shape.cxx * dx * dx + shape.cyy * dy * dy + shape.cxy * dx * dy
                guard squared < Double(lastRing * lastRing) * step * step else { continue }
                let place = row * rect.width + column
                if hasMask && mask[place] != 0 || hidesForeign && foreign[place] != 0 { continue }
                let ring = min(lastRing, Int((max(0, squared).squareRoot() / step).rounded(.down)) + 1)
                sums[ring] += Double(pixels[place])
                counts[ring] += 1
            }
        }
        for ring in 1...lastRing {
            sums[ring] += sums[ring - 1]
            counts[ring] += counts[ring - 1]
        }
        let count = lastRing / 12
        let found = (1...count).first { trial in
            let (inner, middle, outer) = (10 * trial, 11 * trial, 12 * trial)
            let annulus = (sum: sums[outer] - sums[inner], count: counts[outer] - counts[inner])
            return annulus.sum * Double(counts[middle]) < 0.2 * sums[middle] * Double(annulus.count)
        }
        return Double(11 * (found ?? count)) * step
    }
}
