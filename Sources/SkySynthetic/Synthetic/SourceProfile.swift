internal import CElementary

/// Surface brightness of a source convolved with the seeing, in counts per pixel, sampled at pixel centres.
///
/// A star is a Moffat profile of exponent 3. A bright star has a twentieth of its flux in a second one, eight times as
/// wide. A galaxy is an exponential disk with a softened core, I ∝ exp(−√(q² + c²)) with the elliptical radius q in
/// scale lengths; c and the scales are chosen such that flux and second moments are exactly those of the disk convolved
/// with a round seeing. All integrals have closed forms, so that the rendered flux is the source's flux.
package struct SourceProfile {
    /// Counts per pixel at the centre.
    package let peak: Double
    /// Equivalent noise area in pixels: the square of the flux divided by the integral of the squared profile (King
    /// 1983).
    package let noiseArea: Double

    private let shape: Shape

    private enum Shape {
        case moffat(core: Moffat, wing: Moffat?)
        case disk(Disk)
    }

    /// The profile peak / (1 + r²/α²)³.
    private struct Moffat {
        var peak: Double
        var inverseAlphaSquared: Double

        init(flux: Double, alpha: Double) {
            peak = flux * 2 / (Double.pi * alpha * alpha)
            inverseAlphaSquared = 1 / (alpha * alpha)
        }

        func value(radiusSquared: Double) -> Double {
            let base = 1 + radiusSquared * inverseAlphaSquared
            return peak / (base * base * base)
        }

        /// Returns the radius beyond which the profile is below `level`.
        func radius(level: Double) -> Double {
            guard peak > level else { return 0 }
            let base = Elementary.exp(Elementary.log(peak / level) / 3)
            return ((base - 1) / inverseAlphaSquared).squareRoot()
        }

        /// Returns the fraction of the flux within `radius`.
        func share(within radius: Double) -> Double {
            let base = 1 + radius * radius * inverseAlphaSquared
            return 1 - 1 / (base * base)
        }
    }

    private struct Disk {
        var norm: Double
        var softening: Double
        var xx: Double
        var xy: Double
        var yy: Double
        var longest: Double
    }

    /// Creates the profile of `source` for a seeing of `fwhm` pixels.
    package init(_ source: SyntheticSource, fwhm: Double) {
        let alpha = fwhm / 1.0196490690900866  // 2 √(2^⅓ − 1), the width of Moffat's profile of exponent 3
        if source.kind.isStar {
            let wingShare = source.kind == .brightStar ? 0.05 : 0
            let core = Moffat(flux: source.flux * (1 - wingShare), alpha: alpha)
            let wing = wingShare > 0 ? Moffat(flux: source.flux * wingShare, alpha: alpha * 8) : nil
            shape = .moffat(core: core, wing: wing)
            peak = core.peak + (wing?.peak ?? 0)
            noiseArea = 1.25 * Double.pi * alpha * alpha
        } else {
            let disk = Self.disk(source, seeingVariance: alpha * alpha / 2)
            shape = .disk(disk.shape)
            noiseArea = disk.noiseArea
            peak = disk.shape.norm * Elementary.exp(-disk.shape.softening)
        }
    }

    private static func disk(_ source: SyntheticSource, seeingVariance: Double) -> (shape: Disk, noiseArea: Double) {
        let long = source.scaleLength
        let short = long * source.axisRatio
        let c = (seeingVariance / (long * short)).squareRoot()
        // The mean of q² is 2m: along an axis of scale h the second moment is m h².
        let m = (c * c + 3 * c + 3) / (1 + c)
        let major = ((3 * long * long + seeingVariance) / m).squareRoot()
        let minor = ((3 * short * short + seeingVariance) / m).squareRoot()
        let area = 2 * Double.pi * major * minor
        let (cosine, sine) = (source.direction.cosine, source.direction.sine)
        let (a, b) = (1 / (major * major), 1 / (minor * minor))
        let shape = Disk(
            norm: source.flux / (area * (1 + c)) * Elementary.exp(c), softening: c,
            xx: a * cosine * cosine + b * sine * sine, xy: 2 * (a - b) * cosine * sine,
            yy: a * sine * sine + b * cosine * cosine, longest: major)
        return (shape, area * 4 * (1 + c) * (1 + c) / (1 + 2 * c))
    }

    /// Returns counts per pixel at an offset from the centre.
    @inline(__always)
    package func value(dx: Double, dy: Double) -> Double {
        switch shape {
        case .moffat(let core, let wing):
            let square = dx * dx + dy * dy
            return core.value(radiusSquared: square) + (wing?.value(radiusSquared: square) ?? 0)
        case .disk(let disk):
            let square = disk.xx * dx * dx + disk.xy * dx * dy + disk.yy * dy * dy
            return disk.norm * Elementary.exp(-(square + disk.softening * disk.softening).squareRoot())
        }
    }

    /// Returns the radius, in pixels, beyond which the profile is below `level` counts per pixel.
    package func radius(level: Double) -> Double {
        switch shape {
        case .moffat(let core, let wing): return max(core.radius(level: level), wing?.radius(level: level / 2) ?? 0)
        case .disk(let disk):
            guard peak > level else { return 0 }
            let depth = Elementary.log(disk.norm / level)
            return disk.longest * (max(0, depth * depth - disk.softening * disk.softening)).squareRoot()
        }
    }

    /// Returns the counts of a star in excess of `saturation` counts per pixel, and the radius within which its core
    /// exceeds it.
    package func excess(over saturation: Double) -> (counts: Double, radius: Double) {
        guard case .moffat(let core, _) = shape, core.peak > saturation else { return (0, 0) }
        let radius = core.radius(level: saturation)
        let flux = core.peak * Double.pi / core.inverseAlphaSquared / 2
        return (flux * core.share(within: radius) - Double.pi * radius * radius * saturation, radius)
    }
}
