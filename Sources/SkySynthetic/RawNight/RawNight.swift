internal import CElementary
internal import ScanBasics

/// A night of raw frames of a synthetic sky with known truth: bias, dark, flat and light frames of a camera.
///
/// The light frames of all filters and exposures have the same sources. The same parameters give the same bytes on
/// every machine.
package struct RawNight: Sendable {
    package struct Parameters: Equatable, Sendable {
        /// The sky as it is in an exposure of 60 s through a filter without loss.
        package var sky: SyntheticSky.Parameters
        package var camera = SyntheticCamera.Parameters()
        package var filters = ["g", "r"]
        /// Seconds.
        package var exposures = [60.0, 180]
        /// Light frames of each filter and exposure.
        package var lights = 2
        /// Bias frames, dark frames of each exposure, and flats of each filter.
        package var calibrations = 7
        /// Trails in each light frame.
        package var trails = 1
        /// Counts per pixel on the axis of a trail, in standard deviations of the sky's noise.
        package var trailSigma = 1.0...10.0

        package init(sky: SyntheticSky.Parameters) { self.sky = sky }
    }

    package let parameters: Parameters
    package let camera: SyntheticCamera
    /// In the order of their times.
    package let frames: [RawFrame]
    /// The skies by filter and exposure, which have the same sources with other fluxes.
    private let skies: [String: SyntheticSky]

    private static let reference = 60.0
    /// 2026-01-10 17:00:00.
    private static let begin = 1_768_064_400.0
    /// Seconds to read a frame, in which cosmic rays arrive too.
    static let readout = 5.0

    package init(_ parameters: Parameters) {
        self.parameters = parameters
        camera = SyntheticCamera(parameters.camera, for: parameters.sky)
        frames = Self.schedule(parameters)
        var skies: [String: SyntheticSky] = [:]
        for frame in frames where frame.kind == .light && skies[frame.stem] == nil {
            skies[frame.stem] = SyntheticSky(Self.sky(of: frame, parameters.sky))
        }
        self.skies = skies
    }

    private static func schedule(_ parameters: Parameters) -> [RawFrame] {
        var frames: [RawFrame] = []
        func add(_ kind: RawFrame.Kind, filter: Int? = nil, _ exposure: Double, _ number: Int) {
            frames.append(
                RawFrame(
                    kind: kind, filter: filter, filterName: filter.map { parameters.filters[$0] }, exposure: exposure,
                    number: number))
        }
        let calibrations = parameters.calibrations > 0 ? Array(1...parameters.calibrations) : []
        for number in calibrations { add(.bias, 0, number) }
        for filter in parameters.filters.indices {
            for number in calibrations { add(.flat, filter: filter, 4, number) }
        }
        for number in 0..<parameters.lights {
            for filter in parameters.filters.indices {
                for exposure in parameters.exposures { add(.light, filter: filter, exposure, number + 1) }
            }
        }
        for exposure in parameters.exposures { for number in calibrations { add(.dark, exposure, number) } }
        var time = begin
        for index in frames.indices {
            (frames[index].index, frames[index].time) = (index + 1, time)
            time += (frames[index].exposure + readout).rounded(.up)
        }
        return frames
    }

    /// The sky in a frame of a filter and an exposure.
    private static func sky(of frame: RawFrame, _ sky: SyntheticSky.Parameters) -> SyntheticSky.Parameters {
        let filter = frame.filter ?? 0
        let throughput = [0.7, 1, 0.8, 0.5, 0.35][filter % 5]
        let glow = [0.6, 1, 1.5, 2, 2.5][filter % 5]
        let share = throughput * frame.exposure / reference
        var own = sky
        own.zeroPoint += 2.5 * Elementary.log10(share)
        own.sky *= glow * share
        return own
    }

    /// The sky of a light frame with the noise of that frame, as a perfect camera would see it: without bias, dark
    /// current, loss of light, defects, cosmic rays and trails. Its counts are those of the calibrated frame.
    package func cleanSky(of frame: RawFrame) -> SyntheticSky? {
        skies[frame.stem]?.withNoise(ofStream: frame.stream(0))
    }

    /// The temperature of a frame, in degrees Celsius.
    func temperature(of frame: RawFrame) -> Double {
        var generator = SplitMix64(seed: parameters.sky.seed, stream: frame.stream(4))
        return (generator.uniform(in: -10.2 ... -9.8) * 100).rounded() / 100
    }

    /// The cosmic rays of a frame.
    package func rays(in frame: RawFrame) -> [CosmicRay] {
        let megapixels = Double(camera.width) * Double(camera.height) / 1e6
        let mean = parameters.camera.rayRate * megapixels * (frame.exposure + Self.readout) / 100
        return CosmicRay.shower(
            mean: mean, width: camera.width, height: camera.height,
            SplitMix64(seed: parameters.sky.seed, stream: frame.stream(2)))
    }

    /// The trails in a light frame, and none in others.
    package func trails(in frame: RawFrame) -> [SyntheticTrail] {
        guard let noise = skyNoise(in: frame) else { return [] }
        var generator = SplitMix64(seed: parameters.sky.seed, stream: frame.stream(3))
        let range = parameters.trailSigma
        let span = Elementary.log(range.upperBound / range.lowerBound)
        return (0..<parameters.trails).map { _ in
            let sigma = range.lowerBound * Elementary.exp(span * generator.uniform())
            let fwhm = parameters.sky.fwhm * generator.uniform(in: 1...1.8)
            return SyntheticTrail.random(
                width: camera.width, height: camera.height, fwhm: fwhm, peak: sigma * noise, &generator)
        }
    }

    /// The largest raw sample, in counts, which is that of the card SATURATE: the full sky's beside the level of the bias,
    /// as far as 16 bits hold it.
    var saturation: Double { min(65_535, parameters.sky.saturation + parameters.camera.biasLevel).rounded(.down) }

    /// Standard deviation of a pixel of blank sky in a light frame, in counts.
    func skyNoise(in frame: RawFrame) -> Double? { skies[frame.stem]?.parameters.skyNoise }
}
