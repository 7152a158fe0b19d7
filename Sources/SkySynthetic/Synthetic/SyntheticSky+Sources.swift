internal import CElementary
internal import ScanBasics

extension SyntheticSky {
    package static func draw(_ parameters: Parameters) -> [SyntheticSource] {
        let megapixels = Double(parameters.width) * Double(parameters.height) / 1e6
        let galaxies = parameters.density * parameters.galaxyShare
        var sources: [SyntheticSource] = []
        func add(_ kind: SyntheticSource.Kind, density: Double, stream: UInt64) {
            var generator = SplitMix64(seed: parameters.seed, stream: stream)
            for _ in 0..<Int((density * megapixels).rounded()) {
                sources.append(source(kind, parameters, &generator))
            }
        }
        add(.star, density: parameters.density - galaxies, stream: 1 << 40)
        add(.galaxy, density: galaxies, stream: 2 << 40)
        add(.brightStar, density: parameters.brightStarDensity, stream: 3 << 40)
        add(.bigGalaxy, density: parameters.bigGalaxyDensity, stream: 4 << 40)
        sources.sort { ($0.y, $0.x) < ($1.y, $1.x) }
        for index in sources.indices { sources[index].number = index + 1 }
        return sources
    }

    private static func source(
        _ kind: SyntheticSource.Kind, _ parameters: Parameters, _ generator: inout SplitMix64
    ) -> SyntheticSource {
        let x = generator.uniform() * Double(parameters.width) - 0.5
        let y = generator.uniform() * Double(parameters.height) - 0.5
        let brightest = parameters.magnitudes.lowerBound
        let range: ClosedRange<Double>
        switch kind {
        case .star, .galaxy: range = parameters.magnitudes
        case .brightStar: range = brightest - 4...brightest - 1
        case .bigGalaxy: range = brightest - 2.5...brightest - 1
        }
        let magnitude = drawMagnitude(slope: kind.isStar ? 0.25 : 0.35, in: range, &generator)
        var source = SyntheticSource(
            number: 0, kind: kind, x: x, y: y, magnitude: magnitude,
            flux: Elementary.exp10(0.4 * (parameters.zeroPoint - magnitude)), scaleLength: 0, axisRatio: 1,
            direction: .init(), signalToNoise: 0)
        if !kind.isStar {
            source.scaleLength = scaleLength(kind, magnitude, parameters, &generator)
            source.axisRatio = generator.uniform(in: 0.35...1)
            source.direction = .random(&generator)
        }
        source.signalToNoise = signalToNoise(source, parameters)
        return source
    }

    /// Draws a magnitude by inversion from number counts proportional to 10^(slope * m).
    private static func drawMagnitude(
        slope: Double, in range: ClosedRange<Double>, _ generator: inout SplitMix64
    ) -> Double {
        let span = Elementary.exp10(slope * (range.upperBound - range.lowerBound))
        return range.lowerBound + Elementary.log10(1 + generator.uniform() * (span - 1)) / slope
    }

    /// Draws a scale length: faint galaxies are about as large as the seeing, brighter ones larger, with a random
    /// scatter factor.
    private static func scaleLength(
        _ kind: SyntheticSource.Kind, _ magnitude: Double, _ parameters: Parameters, _ generator: inout SplitMix64
    ) -> Double {
        if kind == .bigGalaxy { return generator.uniform(in: 25...45) }
        let growth = Elementary.exp10(0.1 * (parameters.magnitudes.upperBound - magnitude))
        return parameters.fwhm * 0.3 * growth * generator.uniform(in: 0.7...1.4)
    }

    /// Returns the flux divided by its noise in the profile's equivalent noise area, all in electrons.
    private static func signalToNoise(_ source: SyntheticSource, _ parameters: Parameters) -> Double {
        let electrons = source.flux * parameters.gain
        let sky = parameters.sky(x: source.x, y: source.y) * parameters.gain
        let area = SourceProfile(source, fwhm: parameters.fwhm).noiseArea
        let variance = electrons + area * (sky + parameters.readNoise * parameters.readNoise)
        return variance > 0 ? electrons / variance.squareRoot() : 0
    }
}
