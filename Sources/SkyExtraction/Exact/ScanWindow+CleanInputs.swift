internal import CSEP

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Inputs of SEP's cleaning that are not in its catalogue: SEP computes them but does not return them.
struct CleanInputs {
    var abcor: Float
    var mthresh: Float
}

/// Computes ``CleanInputs`` from an object's pixels, bit-identical to SEP.
///
/// Masked pixels of the window must have been set to 0 before.
struct CleanInputsReader {
    private let pixels: UnsafePointer<Float>
    private let mask: UnsafePointer<UInt8>?
    private let noiseMap: UnsafePointer<Float>?
    private let width: Int
    private let height: Int
    private let kernel: [Float]?
    private let kernelWidth: Int
    private let kernelHeight: Int
    private let threshold: Float
    private let globalThreshold: Float
    private let minArea: Int
    private var heap: [Float]
    // Smoothed samples of an object's pixels, in the pixels' order.
    private var samples: [Float] = []

    // SEP's noise value of a masked pixel.
    private static let maskedNoise: Float = 1e30

    init(_ window: borrowing ScanWindow, parameters: ScanParameters) {
        pixels = UnsafePointer(window.pixels)
        mask = window.mask.map { UnsafePointer($0) }
        noiseMap = window.noiseMap.map { UnsafePointer($0) }
        width = window.rect.width
        height = window.rect.height
        kernel = parameters.activeKernel?.factors
        kernelWidth = parameters.activeKernel?.width ?? 1
        kernelHeight = parameters.activeKernel?.height ?? 1
        threshold = Float(parameters.threshold)
        globalThreshold = Float(parameters.threshold) * window.globalNoise
        minArea = parameters.minArea
        heap = []
        heap.reserveCapacity(minArea)
    }

    /// The inputs of object `index`, whose pixels are the elements `range` of the catalogue's list.
    mutating func inputs(_ arrays: sep_catalog, _ index: Int, pixels range: Range<Int>) -> CleanInputs {
        let list = UnsafeBufferPointer(start: arrays.objectspix + range.lowerBound, count: range.count)
        return CleanInputs(abcor: abcor(arrays, index, list), mthresh: mthresh(arrays, index, list))
    }

    private func abcor(_ arrays: sep_catalog, _ index: Int, _ list: UnsafeBufferPointer<Int32>) -> Float {
        let low = Double(arrays.thresh[index])
        let half = (low + Double(arrays.peak[index])) / 2
        var above = 0
        var aboveHalf = 0
        for pixel in list {
            let value = Double(pixels[Int(pixel)])
            if value > low { above += 1 }
            if value > half { aboveHalf += 1 }
        }
        let difference = Double(aboveHalf) - Double(above)
        let ratio = low / half
        guard ratio > 0 else { return 1 }
        let area = 2 * Double.pi * log(ratio < 1 ? ratio : 0.99) * Double(arrays.a[index]) * Double(arrays.b[index])
        let result = Float((difference < 0 ? difference : -1) / area)
        return result > 1 ? 1 : result
    }

    /// The excess over the threshold that at least `minArea` of the object's pixels reach.
    ///
    /// Reproduced from SEP: the first `minArea` pixels fill the heap; the next one only sorts it and is not inserted;
    /// and after an exchange, the sift-down goes one place too far.
    private mutating func mthresh(
        _ arrays: sep_catalog, _ index: Int, _ list: UnsafeBufferPointer<Int32>
    ) -> Float {
        if list.count < minArea { return 0 }
        heap.removeAll(keepingCapacity: true)
        samples.removeAll(keepingCapacity: true)
        if isInside(arrays, index) { smooth(list) }
        for pixel in list[samples.count...] { samples.append(smoothed(at: Int(pixel))) }
        for (position, pixel) in list.enumerated() {
            let excess = samples[position] - threshold(at: Int(pixel))
            if position < minArea {
                heap.append(excess)
            } else if position == minArea {
                heap.sort()
            } else if excess > heap[0] {
                replaceLowest(by: excess)
            }
        }
        return heap[0]
    }

    private mutating func replaceLowest(by value: Float) {
        heap[0] = value
        var place = 0
        while 2 * (place + 1) <= minArea {
            var next = 2 * (place + 1)
            var child = next - 1
            if next != minArea, heap[next - 1] > heap[next] {
                child = next
                next += 1
            }
            if heap[place] <= heap[child] { return }
            heap.swapAt(place, child)
            place = next
        }
    }

    private func threshold(at pixel: Int) -> Float {
        guard let noiseMap else { return globalThreshold }
        if let mask, mask[pixel] != 0, pixel >= kernelHeight / 2 * width { return threshold * Self.maskedNoise }
        return threshold * noiseMap[pixel]
    }

    private func isInside(_ arrays: sep_catalog, _ index: Int) -> Bool {
        let (left, top) = (kernelWidth / 2, kernelHeight / 2)
        return Int(arrays.xmin[index]) >= left && Int(arrays.xmax[index]) < width - (kernelWidth - 1 - left)
            && Int(arrays.ymin[index]) >= top && Int(arrays.ymax[index]) < height - (kernelHeight - 1 - top)
    }

    /// Appends the smoothed samples at raster offsets whose kernel lies inside the window, four at a time; leaves out
    /// the last ones, fewer than four. Each sample is summed in the order of ``smoothed(at:)``.
    private mutating func smooth(_ list: UnsafeBufferPointer<Int32>) {
        guard let kernel else { return }
        kernel.withUnsafeBufferPointer { kernel in
            for start in stride(from: 0, to: list.count - list.count % 4, by: 4) {
                let corner = pixels - (kernelHeight / 2 * width + kernelWidth / 2)
                let (a, b) = (corner + Int(list[start]), corner + Int(list[start + 1]))
                let (c, d) = (corner + Int(list[start + 2]), corner + Int(list[start + 3]))
                var sums = SIMD4<Float>()
                for y in 0..<kernelHeight {
                    let line = y * width
                    for x in 0..<kernelWidth {
                        let values = SIMD4(a[line + x], b[line + x], c[line + x], d[line + x])
                        sums += kernel[y * kernelWidth + x] * values
                    }
                }
                for lane in 0..<4 { samples.append(sums[lane]) }
            }
        }
    }

    /// The smoothed sample at a raster offset, summed in SEP's order in single precision; pixels outside the window
    /// count as 0.
    private func smoothed(at pixel: Int) -> Float {
        guard let kernel else { return pixels[pixel] }
        let (row, column) = pixel.quotientAndRemainder(dividingBy: width)
        let left = column - kernelWidth / 2
        let columns = max(0, -left)..<min(kernelWidth, width - left)
        let top = row - kernelHeight / 2
        var sum: Float = 0
        for y in max(0, -top)..<min(kernelHeight, height - top) {
            let line = pixels + (top + y) * width + left
            for x in columns { sum += kernel[y * kernelWidth + x] * line[x] }
        }
        return sum
    }
}
