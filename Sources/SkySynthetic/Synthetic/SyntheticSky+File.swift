public import SkyFITS

extension SyntheticSky {
    /// Writes the image to a new FITS file.
    /// - Parameters:
    ///   - path: the file, which gets its name when it is complete.
    ///   - type: type of the stored samples.
    ///   - history: HISTORY lines of the header.
    ///   - overwrite: whether an existing file may be replaced.
    ///   - progress: called with the number of pixels of each strip before it is written; an error that it throws ends
    ///     the writing.
    /// - Throws: ``OutputError``, and errors of `progress`.
    public func write(
        to path: String, type: FITSImageWriter.SampleType = .float32, history: [String] = [], overwrite: Bool = false,
        progress: (Int) throws -> Void = { _ in }
    ) throws {
        let (width, height) = (parameters.width, parameters.height)
        let image = try FITSImageWriter(
            path: path, width: width, height: height, type: type, header: header, history: history,
            overwrite: overwrite)
        try forEachStrip { _, samples in
            try progress(samples.count)
            for start in stride(from: samples.startIndex, to: samples.endIndex, by: width) {
                try image.write(row: samples[start..<start + width])
            }
        }
        try image.finish()
    }
}
