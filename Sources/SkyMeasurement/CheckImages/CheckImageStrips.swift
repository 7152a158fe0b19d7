package import SkyExtraction
package import SkyFITS

/// The samples of check images, strip by strip of full-width rows.
///
/// They depend on the background of the whole image, its pixels, and the sources of the catalogue alone: not on bands.
package struct CheckImageStrips: Sendable {
    private let background: BackgroundModel
    private let segments: SegmentRows
    private let parameters: ScanParameters
    private let outlines: [ApertureOutline]

    /// The strips of an image.
    /// - Parameters:
    ///   - background: of the image.
    ///   - segments: the pixels of the catalogue's sources.
    ///   - outlines: the limits of their apertures.
    ///   - parameters: of the scan.
    package init(
        background: BackgroundModel, segments: SegmentRows, outlines: [ApertureOutline], parameters: ScanParameters
    ) {
        (self.background, self.segments, self.outlines) = (background, segments, outlines)
        self.parameters = parameters
    }

    /// The strips, in order; none has more than about a million pixels.
    package var strips: [Range<Int>] {
        let step = max(1, (1 << 20) / background.width)
        return stride(from: 0, to: background.height, by: step).map { $0..<min($0 + step, background.height) }
    }

    /// The pixels that a strip needs: its own, and those that the filter reaches.
    package func window(of rows: Range<Int>) -> PixelRect {
        let reach = (parameters.activeKernel?.height ?? 1) / 2
        return PixelRect(
            x: 0..<background.width,
            y: max(0, rows.lowerBound - reach)..<min(background.height, rows.upperBound + reach))
    }

    /// The numbers of the sources of the pixels of a row; 0 for none.
    package func numbers(row: Int) -> [Int32] {
        var numbers = [Int32](repeating: 0, count: background.width)
        for segment in segments[row] {
            let first = Int(segment.column)
            for column in first..<first + Int(segment.length) { numbers[column] = segment.source + 1 }
        }
        return numbers
    }

    /// The samples of check images in a strip, row by row.
    /// - Parameters:
    ///   - images: those that have a float for each pixel of the image.
    ///   - rows: the strip.
    ///   - view: holds the strip's ``window(of:)``; nil if no image needs pixels.
    /// - Returns: the samples of each image.
    /// - Throws: ``ScanSetupError``, ``MemoryError``.
    package func samples(of images: [CheckImage], rows: Range<Int>, _ view: PixelView?) throws -> [[Float]] {
        let levels = try background.samples(of: background.level, rows: rows)
        guard let view else {
            return try images.map { image in
                image == .noise ? try background.samples(of: background.noise, rows: rows) : levels
            }
        }
        let own = try view.cropped(to: PixelRect(x: 0..<background.width, y: rows))
        let subtracted = levels.indices.map { own.pixels[$0] - levels[$0] }
        return try images.map { image in
            switch image {
            case .noise: try background.samples(of: background.noise, rows: rows)
            case .subtracted: subtracted
            case .filtered: try filtered(rows, view)
            case .objects: masked(subtracted, rows, keepsSources: true)
            case .withoutObjects: masked(subtracted, rows, keepsSources: false)
            case .apertures: drawn(subtracted, rows)
            // The others have no float for each pixel.
            case .background, .segmentation, .meshes, .meshNoise: levels
            }
        }
    }

    private func filtered(_ rows: Range<Int>, _ view: PixelView) throws -> [Float] {
        let window = try PreparedPixels.subtracting(
            background.slice(rows: view.rect.y), from: view.cropped(to: window(of: rows)))
        window.hideMaskedPixels()
        var row = [Float](repeating: 0, count: background.width)
        var samples: [Float] = []
        samples.reserveCapacity(rows.count * background.width)
        for y in rows {
            PixelOwners.smooth(window, y - window.rect.y.lowerBound, parameters.activeKernel, into: &row)
            samples += row
        }
        return samples
    }

    /// The samples with 0 in pixels without a source, or in those with one.
    private func masked(_ samples: [Float], _ rows: Range<Int>, keepsSources: Bool) -> [Float] {
        let width = background.width
        var result = keepsSources ? [Float](repeating: 0, count: samples.count) : samples
        for row in rows {
            for segment in segments[row] {
                let first = (row - rows.lowerBound) * width + Int(segment.column)
                for place in first..<first + Int(segment.length) { result[place] = keepsSources ? samples[place] : 0 }
            }
        }
        return result
    }

    /// SExtractor draws apertures with 30 times the noise, one upon the other.
    private static let brightness: Float = 30

    private func drawn(_ samples: [Float], _ rows: Range<Int>) -> [Float] {
        let (width, value) = (background.width, Self.brightness * background.globalNoise)
        var result = samples
        for outline in outlines where outline.rows.overlaps(ClosedRange(rows)) {
            for row in outline.rows.clamped(to: ClosedRange(rows)) {
                let start = (row - rows.lowerBound) * width
                outline.draw(value, row: row, in: &result[start..<start + width])
            }
        }
        return result
    }
}

extension BackgroundModel {
    /// The samples of a check image of meshes, row by row, and its number of columns.
    package func meshSamples(of image: CheckImage) -> (samples: [Float], columns: Int) {
        let mesh = image == .meshNoise ? noise : level
        return (mesh.values, mesh.columns)
    }
}
