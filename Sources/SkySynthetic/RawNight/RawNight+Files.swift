internal import ScanBasics
internal import SkyFITS

extension RawNight {
    /// Names of the folder's files and of those beside them, and what is written to each.
    package struct Files: Sendable {
        /// The folder of the raw frames, with a slash.
        package let folder: String

        package init(folder: String) { self.folder = folder.hasSuffix("/") ? folder : folder + "/" }

        package func frame(_ frame: RawFrame) -> String { folder + frame.name + ".fits" }

        /// The image of the clean sky in a light frame.
        package func clean(_ frame: RawFrame) -> String { folder + "truth/" + frame.name + ".fits" }

        /// The true sources of frames of one filter and exposure.
        package func sources(_ frame: RawFrame) -> String { folder + "truth/" + frame.stem + ".csv" }

        package var badPixels: String { folder + "truth/bad-pixels.fits" }
        package var rays: String { folder + "truth/cosmic-rays.csv" }
        package var trails: String { folder + "truth/trails.csv" }
    }

    /// Pixels of all images that are written.
    package var work: Int {
        let frame = camera.rawWidth * camera.height
        return frames.reduce(0) { $0 + frame + ($1.kind == .light ? camera.width * camera.height : 0) }
    }

    /// Writes all frames and their truth.
    /// - Parameters:
    ///   - files: names the files.
    ///   - history: HISTORY line of the headers.
    ///   - overwrite: whether existing files may be replaced.
    ///   - progress: called with the number of pixels of each strip before it is written; an error that it throws ends
    ///     the writing.
    /// - Throws: ``OutputError``, and errors of `progress`.
    package func write(
        to files: Files, history: String, overwrite: Bool, progress: (Int) throws -> Void
    ) throws {
        try AtomicFile.makeFolder(of: files.badPixels)
        var known: Set<String> = []
        for frame in frames {
            try write(frame, to: files.frame(frame), history, overwrite, progress)
            guard let sky = cleanSky(of: frame) else { continue }
            try write(sky, of: frame, to: files.clean(frame), history, overwrite, progress)
            guard known.insert(frame.stem).inserted else { continue }
            let lines = [SyntheticTruth.header] + sky.sources.map { SyntheticTruth.line($0, of: sky) }
            try Self.write(lines, to: files.sources(frame), overwrite)
        }
        try Self.write(rayTable, to: files.rays, overwrite)
        try Self.write(trailTable, to: files.trails, overwrite)
        let image = try FITSImageWriter(
            path: files.badPixels, width: camera.width, height: camera.height, type: .int16, history: [history],
            overwrite: overwrite)
        for row in 0..<camera.height { try image.write(row: camera.badPixels(row: row)) }
        try image.finish()
    }

    private static func write(_ lines: [String], to path: String, _ overwrite: Bool) throws {
        let file = try AtomicFile(path: path, overwrite: overwrite)
        for line in lines { try file.write(line.utf8) }
        try file.commit()
    }

    // MARK: - Images

    private func write(
        _ frame: RawFrame, to path: String, _ history: String, _ overwrite: Bool, _ progress: (Int) throws -> Void
    ) throws {
        let (width, height) = (camera.rawWidth, camera.height)
        let image = try FITSImageWriter(
            path: path, width: width, height: height, type: .uint16, header: header(of: frame), history: [history],
            overwrite: overwrite)
        let content = content(of: frame)
        try ImageStrips(width: width, height: height, step: SyntheticSky.stripHeight).forEach(
            { render(frame, content, rows: $0, into: $1) },
            { _, samples in
                try progress(samples.count)
                for start in stride(from: samples.startIndex, to: samples.endIndex, by: width) {
                    try image.write(row: samples[start..<start + width])
                }
            })
        try image.finish()
    }

    private func write(
        _ sky: SyntheticSky, of frame: RawFrame, to path: String, _ history: String, _ overwrite: Bool,
        _ progress: (Int) throws -> Void
    ) throws {
        let width = sky.parameters.width
        let header = sky.header + frame.cards(temperature: temperature(of: frame)).filter { $0.key != "IMAGETYP" }
        let image = try FITSImageWriter(
            path: path, width: width, height: sky.parameters.height, type: .float32, header: header,
            history: [history], overwrite: overwrite)
        try sky.forEachStrip { _, samples in
            try progress(samples.count)
            for start in stride(from: samples.startIndex, to: samples.endIndex, by: width) {
                try image.write(row: samples[start..<start + width])
            }
        }
        try image.finish()
    }

    /// The cards of a raw frame. The gain in electrons is EGAIN; GAIN is a setting, as cameras write it.
    func header(of frame: RawFrame) -> [HeaderEntry] {
        let own = parameters.camera
        let (first, last) = (own.prescan + 1, own.prescan + camera.width)
        var cards = frame.cards(temperature: temperature(of: frame))
        cards += [
            HeaderEntry("TRIMSEC", .text("[\(first):\(last),1:\(camera.height)]")),
            HeaderEntry("BIASSEC", .text("[\(last + 1):\(camera.rawWidth),1:\(camera.height)]")),
            HeaderEntry("GAIN", .integer(100), comment: "setting of the camera"),
            HeaderEntry("EGAIN", .real(camera.gain), comment: "electrons per adu"),
            HeaderEntry("RDNOISE", .real(parameters.sky.readNoise), comment: "electrons"),
            HeaderEntry("SATURATE", .real(saturation), comment: "adu"),
        ]
        for entry in cleanSky(of: frame)?.header ?? [] where !cards.contains(where: { $0.key == entry.key }) {
            var entry = entry
            if entry.key == "CRPIX1", case .real(let column) = entry.value {
                entry.value = .real(column + Double(own.prescan))
            }
            cards.append(entry)
        }
        return cards
    }

    // MARK: - Tables

    /// The pixels of cosmic rays, with what they leave there in counts.
    private var rayTable: [String] {
        var lines = ["file,ray,x,y,counts\n"]
        for frame in frames {
            for (number, ray) in rays(in: frame).enumerated() {
                for pixel in ray.pixels {
                    let counts = (pixel.electrons / camera.gain).fixed(2)
                    lines.append("\(frame.name).fits,\(number + 1),\(pixel.x),\(pixel.y),\(counts)\n")
                }
            }
        }
        return lines
    }

    private var trailTable: [String] {
        var lines = ["file,trail,x1,y1,x2,y2,fwhm,peak,sigma\n"]
        for frame in frames {
            for (number, trail) in trails(in: frame).enumerated() {
                let sigma = trail.peak / (skyNoise(in: frame) ?? 1)
                let numbers = [trail.start.x, trail.start.y, trail.end.x, trail.end.y, trail.fwhm, trail.peak, sigma]
                let words = numbers.map { $0.fixed(3) }.joined(separator: ",")
                lines.append("\(frame.name).fits,\(number + 1),\(words)\n")
            }
        }
        return lines
    }
}
