internal import ScanBasics

/// Which source each pixel of a window belongs to.
///
/// Most pixels belong to none and are below the threshold: a bit per pixel tells these, so that what the window holds
/// stays in the processor's cache. The sources of the others are looked up among the runs of their row.
package struct PixelOwners: ~Copyable {
    /// A bit per pixel, row by row: 0 if it belongs to no source and is below the threshold.
    private let occupied: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    private let width: Int
    private let runs: OwnerRuns

    /// A pixel above the threshold of a detection that is too small for a source, or hidden.
    private static let detected: Int32 = -1
    /// A pixel of a source that cleaning removed. SExtractor leaves it to every aperture.
    private static let absorbed: Int32 = -2

    /// The owners of the pixels of `window`, which holds `sources`.
    package init(_ window: borrowing PreparedPixels, _ sources: MeasurementWindow, _ parameters: ScanParameters) {
        let rect = window.rect
        (width, wordCount) = (rect.width, (rect.area + 63) / 64)
        occupied = LargeMemory.allocate(wordCount)
        occupied.initialize(repeating: 0, count: wordCount)
        let numbers = sources.owner.indices.map { place in
            let absorbed = sources.isHidden[place] ? Self.detected : Self.absorbed
            let owner = sources.owner[place] < 0 ? Self.detected : sources.owner[place] + 1
            return sources.isAbsorbed[place] ? absorbed : owner
        }
        runs = OwnerRuns(sources, numbers: numbers, in: rect)
        let occupied = occupied
        func occupy(_ offset: Int) { occupied[offset >> 6] |= 1 << UInt64(offset & 63) }
        for place in sources.owner.indices {
            let start =
                (Int(sources.row[place]) - rect.y.lowerBound) * rect.width + Int(sources.column[place])
                - rect.x.lowerBound
            for offset in start..<start + Int(sources.length[place]) { occupy(offset) }
        }
        // The matched filter's values are no samples; SExtractor does not have it. Detections of another image are given.
        if parameters.filter != .matched, parameters.measurements?.isOfOtherImage != true {
            Self.forEachDetection(in: window, parameters) { row, column in occupy(row * rect.width + column) }
        }
    }

    deinit { LargeMemory.deallocate(occupied, wordCount) }

    /// Whether the pixel at an offset belongs to another source than that of this number, or to a detection that is too
    /// small for a source.
    @inline(__always)
    package borrowing func isForeign(_ offset: Int, to source: Int32) -> Bool {
        if occupied[offset >> 6] & 1 << UInt64(offset & 63) == 0 { return false }
        // A pixel above the threshold that no source has is of a small detection.
        let number = runs.number(row: offset / width, column: offset % width) ?? Self.detected
        return number == Self.detected || number > 0 && number != source
    }

    /// Columns that are compared with the threshold at a time.
    private static let chunk = 32

    /// Calls `body` with the pixels that are above the threshold after the filter, row by row.
    static func forEachDetection(
        in window: borrowing PreparedPixels, _ parameters: ScanParameters, _ body: (_ row: Int, _ column: Int) -> Void
    ) {
        let rect = window.rect
        let threshold = Float(parameters.threshold)
        let globalThreshold = threshold * window.globalNoise
        var smoothed = [Float](repeating: 0, count: rect.width)
        for row in 0..<rect.height {
            smooth(window, row, parameters.activeKernel, into: &smoothed)
            let noise = window.noiseMap.map { $0 + row * rect.width }
            let mask = window.mask.map { $0 + row * rect.width }
            smoothed.withUnsafeBufferPointer { smoothed in
                for start in stride(from: 0, to: rect.width, by: chunk) {
                    let columns = start..<min(start + chunk, rect.width)
                    // Without a branch per column, so that several are compared at once.
                    var isAbove: UInt32 = 0
                    if let noise {
                        for column in columns { isAbove |= smoothed[column] > threshold * noise[column] ? 1 : 0 }
                    } else {
                        for column in columns { isAbove |= smoothed[column] > globalThreshold ? 1 : 0 }
                    }
                    if isAbove == 0 { continue }
                    for column in columns {
                        let limit = noise.map { threshold * $0[column] } ?? globalThreshold
                        if smoothed[column] > limit, mask.map({ $0[column] == 0 }) ?? true { body(row, column) }
                    }
                }
            }
        }
    }

    /// The samples of a row after the convolution, summed in SEP's order; pixels outside the window count as 0.
    package static func smooth(
        _ window: borrowing PreparedPixels, _ row: Int, _ kernel: ConvolutionKernel?, into output: inout [Float]
    ) {
        let (width, height) = (window.rect.width, window.rect.height)
        guard let kernel else {
            for column in 0..<width { output[column] = window.pixels[row * width + column] }
            return
        }
        let values = kernel.factors
        for column in 0..<width { output[column] = 0 }
        let top = row - kernel.height / 2
        output.withUnsafeMutableBufferPointer { output in
            for y in max(0, -top)..<max(0, -top, min(kernel.height, height - top)) {
                let line = window.pixels + (top + y) * width
                for x in 0..<kernel.width {
                    let shift = x - kernel.width / 2
                    let value = values[y * kernel.width + x]
                    for column in max(0, -shift)..<max(0, -shift, min(width, width - shift)) {
                        output[column] += value * line[column + shift]
                    }
                }
            }
        }
    }
}
