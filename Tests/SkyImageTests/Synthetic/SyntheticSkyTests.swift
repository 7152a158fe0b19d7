import CElementary
import Testing

import SkyFITS
@testable import SkySynthetic

@Suite struct SyntheticSkyTests {
    /// A sky with almost no noise.
    static func quiet(_ sources: Double = 0) -> SyntheticSky.Parameters {
        var parameters = SyntheticSky.Parameters(width: 200, height: 200, seed: 3)
        parameters.density = sources
        parameters.brightStarDensity = 0
        parameters.bigGalaxyDensity = 0
        parameters.gain = 1e9
        parameters.readNoise = 0
        parameters.skyGradient = 0
        return parameters
    }

    static func hash(_ samples: [Float]) -> UInt64 {
        // FNV-1a over the samples' bits.
        samples.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1.bitPattern)) &* 1_099_511_628_211 }
    }

    @Test("a seed gives the same bits on every machine")
    func determinism() {
        var parameters = SyntheticSky.Parameters(width: 300, height: 200, seed: 42)
        parameters.brightStarDensity = 50
        parameters.bigGalaxyDensity = 30
        let samples = SyntheticSky(parameters).render(rows: 0..<200)
        #expect(Self.hash(samples) == 3_746_606_735_889_600_431)
        parameters.seed = 43
        #expect(SyntheticSky(parameters).render(rows: 0..<200) != samples)
    }

    @Test("rows do not depend on the strip they are made in", arguments: [1, 7, 64, 150, 1000])
    func strips(height: Int) {
        var parameters = SyntheticSky.Parameters(width: 120, height: 150, seed: 9)
        parameters.brightStarDensity = 200
        parameters.bigGalaxyDensity = 100
        let sky = SyntheticSky(parameters)
        var samples: [Float] = []
        sky.forEachStrip(height: height) { row, strip in
            #expect(row * 120 == samples.count)
            samples += strip
        }
        #expect(samples == sky.render(rows: 0..<150))
    }

    @Test("there are as many sources of each kind as asked for, in order")
    func counts() {
        var parameters = SyntheticSky.Parameters(width: 2000, height: 1000)
        parameters.brightStarDensity = 2
        parameters.bigGalaxyDensity = 1
        let sources = SyntheticSky(parameters).sources
        let counts = Dictionary(grouping: sources, by: \.kind).mapValues(\.count)
        #expect(counts == [.star: 1200, .galaxy: 800, .brightStar: 4, .bigGalaxy: 2])
        #expect(sources.map(\.number) == Array(1...sources.count))
        #expect(zip(sources, sources.dropFirst()).allSatisfy { $0.y <= $1.y })
        #expect(sources.allSatisfy { (-0.5..<1999.5).contains($0.x) && (-0.5..<999.5).contains($0.y) })
    }

    @Test(
        "numbers grow with magnitude by the law of their kind",
        arguments: [(SyntheticSource.Kind.star, 0.25), (.galaxy, 0.35)])
    func magnitudes(kind: SyntheticSource.Kind, slope: Double) {
        var parameters = SyntheticSky.Parameters(width: 10_000, height: 1000)
        parameters.galaxyShare = 0.5
        let sources = SyntheticSky(parameters).sources.filter { $0.kind == kind }
        #expect(sources.allSatisfy { parameters.magnitudes.contains($0.magnitude) })
        let brighter = Double(sources.count { $0.magnitude < 22 }) / Double(sources.count)
        // 10^(−2 slope), but for the little that lies beyond the bright end.
        #expect(abs(brighter - Elementary.exp10(-2 * slope)) < 0.025)
    }

    @Test("the light in the pixels is the flux of the truth", arguments: SyntheticSource.Kind.allCases)
    func flux(kind: SyntheticSource.Kind) {
        let parameters = Self.quiet()
        let flux = kind == .bigGalaxy ? 1e6 : 1e5
        let source = SyntheticSource(
            number: 1, kind: kind, x: 100.3, y: 99.8, magnitude: 0, flux: flux,
            scaleLength: kind == .bigGalaxy ? 8 : kind.isStar ? 0 : 2, axisRatio: kind.isStar ? 1 : 0.5,
            direction: .init(cosine: 0.8, sine: 0.6), signalToNoise: 0)
        let profile = SourceProfile(source, fwhm: parameters.fwhm)
        var (sum, sumX, sumY, squares, peak) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for y in 0..<200 {
            for x in 0..<200 {
                let value = profile.value(dx: Double(x) - source.x, dy: Double(y) - source.y)
                sum += value
                sumX += value * Double(x)
                sumY += value * Double(y)
                squares += value * value
                peak = max(peak, value)
            }
        }
        #expect(abs(sum / flux - 1) < 0.004)
        #expect(abs(sumX / sum - source.x) < 0.05 && abs(sumY / sum - source.y) < 0.05)
        #expect(abs(sum * sum / squares / profile.noiseArea - 1) < (kind == .brightStar ? 0.15 : 0.02))
        #expect(peak <= profile.peak)
    }

    @Test("a galaxy's second moments are those of its disk and the seeing together")
    func moments() {
        let source = SyntheticSource(
            number: 1, kind: .galaxy, x: 0, y: 0, magnitude: 0, flux: 1, scaleLength: 4, axisRatio: 0.5,
            direction: .init(cosine: 0, sine: 1), signalToNoise: 0)
        let profile = SourceProfile(source, fwhm: 3)
        var (xx, yy) = (0.0, 0.0)
        for y in -150...150 {
            for x in -150...150 {
                let value = profile.value(dx: Double(x), dy: Double(y))
                xx += value * Double(x * x)
                yy += value * Double(y * y)
            }
        }
        let seeing = (3 / 1.0196490690900866) * (3 / 1.0196490690900866) / 2
        #expect(abs(xx - (3 * 4 + seeing)) < 0.1)
        #expect(abs(yy - (3 * 16 + seeing)) < 0.2)
    }

    @Test("a source stands in the pixels where the truth says, on the sky")
    func truthMatchesPixels() throws {
        var parameters = Self.quiet(50)
        parameters.magnitudes = 18...19
        parameters.galaxyShare = 0
        // A seed whose stars are all far from the edges, so that no light is lost.
        let skies = (UInt64(1)...100).lazy.map { seed in
            parameters.seed = seed
            return SyntheticSky(parameters)
        }
        let isInside = { (source: SyntheticSource) in (40...160).contains(source.x) && (40...160).contains(source.y) }
        let sky = try #require(skies.first { $0.sources.allSatisfy(isInside) })
        let samples = sky.render(rows: 0..<200)
        #expect(sky.sources.count == 2)
        for source in sky.sources {
            let (x, y) = (Int(source.x.rounded()), Int(source.y.rounded()))
            let expected = SourceProfile(source, fwhm: parameters.fwhm)
                .value(dx: Double(x) - source.x, dy: Double(y) - source.y)
            #expect(abs(Double(samples[y * 200 + x]) - parameters.sky - expected) < expected * 0.01)
        }
        let total = samples.reduce(0) { $0 + Double($1) - parameters.sky }
        let truth = sky.sources.reduce(0) { $0 + $1.flux }
        #expect(abs(total / truth - 1) < 0.02)
    }

    @Test("blank sky has photon noise and read noise", arguments: [(400.0, 1.5, 5.0), (2.0, 1.0, 3.0)])
    func noise(sky: Double, gain: Double, readNoise: Double) {
        var parameters = Self.quiet()
        (parameters.sky, parameters.gain, parameters.readNoise) = (sky, gain, readNoise)
        let samples = SyntheticSky(parameters).render(rows: 0..<200).map(Double.init)
        let mean = samples.reduce(0, +) / 40_000
        let variance = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 40_000
        #expect(abs(mean - sky) < 5 * parameters.skyNoise / 200)
        #expect(abs(variance.squareRoot() / parameters.skyNoise - 1) < 0.02)
    }

    @Test("pixels saturate, and excess charge bleeds along the column")
    func bleed() throws {
        var parameters = Self.quiet()
        parameters.brightStarDensity = 25
        parameters.magnitudes = 13...20
        let sky = SyntheticSky(parameters)
        let star = try #require(sky.sources.first)
        let samples = sky.render(rows: 0..<200)
        #expect(samples.max() == Float(parameters.saturation))
        let column = Int(star.x.rounded())
        let full = (0..<200).count { samples[$0 * 200 + column] == Float(parameters.saturation) }
        let wide = (0..<200).count { samples[Int(star.y.rounded()) * 200 + $0] == Float(parameters.saturation) }
        #expect(full > wide)
    }

    @Test("the sky's slope runs across the image")
    func gradient() {
        var parameters = SyntheticSky.Parameters(width: 101, height: 101)
        parameters.skyGradient = 0.2
        #expect(parameters.sky(x: 50, y: 50) == parameters.sky)
        #expect(parameters.sky(x: 100, y: 50) > parameters.sky(x: 0, y: 50))
        #expect(SyntheticSky.Parameters(width: 1, height: 1).sky(x: 0, y: 0) == 400)
    }

    @Test("an image of one pixel can be made")
    func onePixel() { #expect(SyntheticSky(.init(width: 1, height: 1)).render(rows: 0..<1).count == 1) }

    @Test("the centre of the image is where the header says, and right ascension grows to the left")
    func position() {
        let sky = SyntheticSky(Self.quiet())
        let middle = sky.skyPosition(x: 99.5, y: 99.5)
        #expect(abs(middle.rightAscension - 150) < 1e-12 && abs(middle.declination - 2.2) < 1e-12)
        let corner = sky.skyPosition(x: 0, y: 199)
        #expect(corner.rightAscension > 150 && corner.declination > 2.2)
        #expect(sky.header.contains(HeaderEntry("CRPIX1", .real(100.5))))
    }
}
