internal import ScanBasics

extension RawNight {
    /// Renders raw rows of a frame, with prescan and overscan, into `samples`.
    func render(
        _ frame: RawFrame, _ content: Content, rows: Range<Int>, into samples: UnsafeMutableBufferPointer<Float>
    ) {
        let width = camera.width
        var light = [Double](repeating: 0, count: rows.count * width)
        light.withUnsafeMutableBufferPointer { light in
            if let sky = content.sky {
                sky.illuminate(light, rows: rows)
            } else {
                light.update(repeating: content.level)
            }
            for trail in content.trails { trail.add(to: light, rows: rows, width: width) }
            for row in rows {
                let part = UnsafeMutableBufferPointer(
                    rebasing: light[((row - rows.lowerBound) * width)...].prefix(width))
                collect(frame, content, row, part)
                read(frame, content, row, part, into: samples, (row - rows.lowerBound) * camera.rawWidth)
            }
        }
    }

    /// The sources, rays and trails in a frame.
    struct Content: Sendable {
        /// The sky of a light frame.
        var sky: SyntheticSky?
        var trails: [SyntheticTrail]
        /// Pixels of cosmic rays, by row.
        var rays: [Int: [CosmicRay.Pixel]]
        /// Counts of uniform light, in a flat.
        var level: Double
        /// By how much the bias drifts during the frame, from 0 to 1.
        var drift: Double
    }

    /// Finds what is in a frame.
    func content(of frame: RawFrame) -> Content {
        var generator = SplitMix64(seed: parameters.sky.seed, stream: frame.stream(5))
        let drift = generator.uniform()
        let brightness = generator.uniform(in: 0.8...1.2)
        return Content(
            sky: cleanSky(of: frame), trails: trails(in: frame),
            rays: Dictionary(grouping: rays(in: frame).flatMap(\.pixels), by: \.y),
            level: frame.kind == .flat ? 25_000 * brightness : 0, drift: drift)
    }

    /// Turns the light of a row into electrons, with dark current and noise.
    private func collect(
        _ frame: RawFrame, _ content: Content, _ row: Int, _ light: UnsafeMutableBufferPointer<Double>
    ) {
        let (response, current) = (camera.response(row: row), camera.darkCurrent(row: row))
        // The same deviates as in the image of the clean sky, so that both have almost the same noise.
        var noise = SkyNoise(generator: SplitMix64(seed: parameters.sky.seed, stream: frame.stream(0, row: row)))
        let readNoise = parameters.sky.readNoise
        for x in light.indices {
            let mean = light[x] * camera.gain * response[x] + current[x] * frame.exposure
            if mean >= 40 {
                light[x] = mean + (mean + readNoise * readNoise).squareRoot() * noise.normal()
            } else {
                light[x] = noise.poisson(mean: mean) + readNoise * noise.normal()
            }
        }
        for pixel in content.rays[row] ?? [] { light[pixel.x] += pixel.electrons }
    }

    /// Reads out a row: counts above the bias, in prescan and overscan the noise alone.
    private func read(
        _ frame: RawFrame, _ content: Content, _ row: Int, _ electrons: UnsafeMutableBufferPointer<Double>,
        into samples: UnsafeMutableBufferPointer<Float>, _ start: Int
    ) {
        var noise = SkyNoise(generator: SplitMix64(seed: parameters.sky.seed, stream: frame.stream(1, row: row)))
        let (sky, first) = (parameters.sky, parameters.camera.prescan)
        let bias = camera.bias(row: row, drift: content.drift)
        for column in bias.indices {
            let isImage = (first..<first + camera.width).contains(column)
            let charge = isImage ? electrons[column - first] : sky.readNoise * noise.normal()
            samples[start + column] = Float(min(bias[column] + charge / camera.gain, saturation))
        }
    }
}
