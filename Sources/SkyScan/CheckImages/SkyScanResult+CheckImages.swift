package import SkyExtraction
import SkyFITS
package import SkyMeasurement

extension SkyScanResult {
    /// Appends the check images of the scanned image to files, strip by strip. Each pixel is read only once for all of
    /// them.
    /// - Parameters:
    ///   - files: one file for each kind of check image.
    ///   - reader: reader of the image.
    ///   - parameters: parameters of the scan.
    ///   - selected: indices of the sources in the catalogue, or nil for all.
    /// - Throws: ``OutputError``, ``ImageError`` if the image cannot be read, ``ScanSetupError`` if the scan did not
    ///   return the pixels of its sources, or `CancellationError`.
    package func append(
        to files: [CheckImageFile], of reader: ImageReader, parameters: ScanParameters, selected: [Int]? = nil
    ) async throws {
        guard let measured, parameters.needsPixels || !files.contains(where: \.image.showsSources) else {
            throw ScanSetupError("the scan did not return the pixels of its sources")
        }
        let (width, height) = (reader.summary.width, reader.summary.height)
        let background = measured.background
        for file in files {
            guard file.image.isMesh else {
                try file.begin(width: width, height: height, header: reader.summary.header)
                continue
            }
            let (samples, columns) = background.meshSamples(of: file.image)
            try file.begin(
                width: columns, height: samples.count / columns, header: reader.summary.header,
                scale: (parameters.meshWidth, parameters.meshHeight))
            try file.write(samples)
        }
        let isDrawn = files.contains { $0.image == .apertures }
        let strips = CheckImageStrips(
            background: background,
            segments: SegmentRows(
                selected.map(measured.pixels.selecting) ?? measured.pixels,
                absorbed: selected.map(measured.absorbed.selecting) ?? measured.absorbed, height: height),
            outlines: isDrawn ? outlines(of: selected ?? Array(0..<sources.count), parameters) : [],
            parameters: parameters)
        let numbered = files.filter { $0.image == .segmentation }
        let sampled = files.filter { $0.image != .segmentation && !$0.image.isMesh }
        for rows in strips.strips {
            try Task.checkCancellation()
            for file in numbered { for row in rows { try file.write(strips.numbers(row: row)) } }
            if sampled.isEmpty { continue }
            let samples = try await strips.samples(of: sampled.map(\.image), rows: rows, from: reader)
            for (file, samples) in zip(sampled, samples) { try file.write(samples) }
        }
    }

    /// Returns the outlines of the circular and the Kron apertures of the sources.
    private func outlines(of indices: [Int], _ parameters: ScanParameters) -> [ApertureOutline] {
        let diameters = parameters.measurements?.apertures ?? [2 * parameters.apertureRadius]
        return indices.flatMap { index in
            let (x, y) = (sources.x[index], sources.y[index])
            let kron = sources.photometry.kronRadius[index]
            let radius = max(parameters.kronFactor * (kron.isFinite ? kron : 0), parameters.kronMinimum)
            let circles = diameters.map { ApertureOutline(x: x, y: y, a: 1, b: 1, theta: 0, radius: $0 / 2) }
            let ellipse = ApertureOutline(
                x: x, y: y, a: Double(sources.a[index]), b: Double(sources.b[index]),
                theta: Double(sources.theta[index]), radius: radius)
            return (circles + [ellipse]).compactMap(\.self)
        }
    }
}

extension CheckImageStrips {
    /// Returns the samples of check images in a strip, and reads its pixels if they are needed.
    fileprivate func samples(
        of images: [CheckImage], rows: Range<Int>, from reader: ImageReader
    ) async throws -> [[Float]] {
        guard images.contains(where: \.needsPixels) else { return try samples(of: images, rows: rows, nil) }
        let window = reader.contents(of: window(of: rows))
        return try window.withView(of: try await reader.pixels(of: window)) { view in
            try samples(of: images, rows: rows, view)
        }
    }
}
