internal import ScanBasics

extension SyntheticSky {
    package func addSky(to light: UnsafeMutableBufferPointer<Double>, rows: Range<Int>) {
        for row in rows {
            let start = (row - rows.lowerBound) * parameters.width
            for x in 0..<parameters.width { light[start + x] = parameters.sky(x: Double(x), y: Double(row)) }
        }
    }

    /// Returns the distance, in rows, that a source's light or bleeding reaches from its centre.
    package static func reach(of source: SyntheticSource, _ parameters: Parameters) -> Double {
        let profile = SourceProfile(source, fwhm: parameters.fwhm)
        return max(profile.radius(level: parameters.faintest), bleedShape(source, profile, parameters)?.halfLength ?? 0)
    }

    package func add(_ source: SyntheticSource, to light: UnsafeMutableBufferPointer<Double>, rows: Range<Int>) {
        let profile = SourceProfile(source, fwhm: parameters.fwhm)
        let radius = profile.radius(level: parameters.faintest)
        let first = max(rows.lowerBound, Int((source.y - radius).rounded(.up)))
        let last = min(rows.upperBound - 1, Int((source.y + radius).rounded(.down)))
        guard first <= last else { return }
        for row in first...last {
            let dy = Double(row) - source.y
            let half = max(0, radius * radius - dy * dy).squareRoot()
            let left = max(0, Int((source.x - half).rounded(.up)))
            let right = min(parameters.width - 1, Int((source.x + half).rounded(.down)))
            guard left <= right else { continue }
            let start = (row - rows.lowerBound) * parameters.width
            for x in left...right { light[start + x] += profile.value(dx: Double(x) - source.x, dy: dy) }
        }
    }

    /// Fills the columns into which the excess charge of a star bleeds.
    package func bleed(_ source: SyntheticSource, into light: UnsafeMutableBufferPointer<Double>, rows: Range<Int>) {
        let profile = SourceProfile(source, fwhm: parameters.fwhm)
        guard let shape = Self.bleedShape(source, profile, parameters) else { return }
        let first = max(rows.lowerBound, Int((source.y - shape.halfLength).rounded(.up)))
        let last = min(rows.upperBound - 1, Int((source.y + shape.halfLength).rounded(.down)))
        let column = Int(source.x.rounded())
        let left = max(0, column - shape.halfWidth)
        let right = min(parameters.width - 1, column + shape.halfWidth)
        guard first <= last, left <= right else { return }
        for row in first...last {
            let start = (row - rows.lowerBound) * parameters.width
            for x in left...right { light[start + x] = max(light[start + x], parameters.saturation) }
        }
    }

    /// Returns the number of pixels on each side of a saturated star's centre that its excess charge fills; at most 400
    /// rows.
    private static func bleedShape(
        _ source: SyntheticSource, _ profile: SourceProfile, _ parameters: Parameters
    ) -> (halfWidth: Int, halfLength: Double)? {
        guard source.kind == .brightStar else { return nil }
        let excess = profile.excess(over: parameters.saturation)
        guard excess.counts > 0 else { return nil }
        let halfWidth = Int(excess.radius / 4)
        let length = excess.counts / (parameters.saturation * Double(2 * halfWidth + 1))
        return (halfWidth, min(400, excess.radius + length / 2))
    }

    /// Converts expected light to counts, with photon noise, read noise and saturation.
    package func expose(
        _ light: UnsafeMutableBufferPointer<Double>, rows: Range<Int>,
        into counts: UnsafeMutableBufferPointer<Float>
    ) {
        let readVariance = parameters.readNoise * parameters.readNoise
        for row in rows {
            let stream = parameters.noiseStream + UInt64(row)
            var noise = SkyNoise(generator: SplitMix64(seed: parameters.seed, stream: stream))
            let start = (row - rows.lowerBound) * parameters.width
            for index in start..<start + parameters.width {
                let mean = light[index] * parameters.gain
                let electrons: Double
                if mean >= 40 {
                    // Both noises are normal here, so one deviate with the summed variance suffices.
                    electrons = mean + (mean + readVariance).squareRoot() * noise.normal()
                } else {
                    electrons = noise.poisson(mean: mean) + parameters.readNoise * noise.normal()
                }
                counts[index] = Float(min(electrons / parameters.gain, parameters.saturation))
            }
        }
    }
}
