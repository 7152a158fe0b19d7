internal import ScanMemory

/// Which source each pixel of a window belongs to.
struct PixelOwners: ~Copyable {
    /// From 1: the number of a source. See ``isForeign(_:to:)`` for the other values.
    private let numbers: UnsafeMutablePointer<Int32>
    private let area: Int

    /// A pixel that is below the threshold.
    private static let none: Int32 = 0
    /// A pixel above the threshold of a detection that is too small for a source, or hidden.
    private static let detected: Int32 = -1
    /// A pixel of a source that cleaning removed. SExtractor leaves it to every aperture.
    private static let absorbed: Int32 = -2

    /// The owners of the pixels of `window`, which holds `sources`.
    init(_ window: borrowing ScanWindow, _ sources: MeasurementWindow, _ parameters: ScanParameters) {
        let rect = window.rect
        area = rect.area
        numbers = LargeMemory.allocate(rect.area)
        numbers.initialize(repeating: Self.none, count: rect.area)
        for place in sources.owner.indices {
            let start =
                (Int(sources.row[place]) - rect.y.lowerBound) * rect.width + Int(sources.column[place])
                - rect.x.lowerBound
            let absorbed = sources.isHidden[place] ? Self.detected : Self.absorbed
            let owner = sources.owner[place] < 0 ? Self.detected : sources.owner[place] + 1
            let number = sources.isAbsorbed[place] ? absorbed : owner
            for offset in start..<start + Int(sources.length[place]) { numbers[offset] = number }
        }
        // The matched filter's values are no samples; SExtractor does not have it. Detections of another image are given.
        if parameters.filter != .matched, parameters.measurements?.isOfOtherImage != true {
            let numbers = numbers
            Self.forEachDetection(in: window, parameters) { row, column in
                let place = row * rect.width + column
                if numbers[place] == Self.none { numbers[place] = Self.detected }
            }
        }
    }

    deinit { LargeMemory.deallocate(numbers, area) }

    /// Whether the pixel at an offset belongs to another source than that of this number, or to a detection that is too
    /// small for a source.
    @inline(__always)
    borrowing func isForeign(_ offset: Int, to source: Int32) -> Bool {
        let number = numbers[offset]
        return number == Self.detected || number > 0 && number != source
    }

    /// Calls `body` with the pixels that are above the threshold after the filter, row by row.
    static func forEachDetection(
        in window: borrowing ScanWindow, _ parameters: ScanParameters, _ body: (_ row: Int, _ column: Int) -> Void
    ) {
        let rect = window.rect
        let threshold = Float(parameters.threshold)
        let globalThreshold = threshold * window.globalNoise
        var smoothed = [Float](repeating: 0, count: rect.width)
        for row in 0..<rect.height {
            Self.smooth(window, row, parameters.activeKernel, into: &smoothed)
            let noise = window.noiseMap.map { $0 + row * rect.width }
            let mask = window.mask.map { $0 + row * rect.width }
            for column in 0..<rect.width {
                let limit = noise.map { threshold * $0[column] } ?? globalThreshold
                if smoothed[column] > limit, mask.map({ $0[column] == 0 }) ?? true { body(row, column) }
            }
        }
    }

    /// The samples of a row after the convolution, summed in SEP's order; pixels outside the window count as 0.
    static func smooth(
        _ window: borrowing ScanWindow, _ row: Int, _ kernel: ConvolutionKernel?, into output: inout [Float]
    ) {
        let (width, height) = (window.rect.width, window.rect.height)
        guard let kernel else {
            for column in 0..<width { output[column] = window.pixels[row * width + column] }
            return
        }
        let values = kernel.normalized
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
