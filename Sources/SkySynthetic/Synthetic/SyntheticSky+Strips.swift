import Dispatch
import Foundation

extension SyntheticSky {
    /// Default number of rows per strip.
    public static let stripHeight = 64

    /// Renders the whole image in strips on all processors and passes them to `body` in order, from the first row.
    ///
    /// Memory use is constant: at most one strip per processor is kept. Each strip has `height` rows; the last one has
    /// the remaining rows.
    public func forEachStrip(
        height: Int = stripHeight, _ body: (_ firstRow: Int, _ samples: ArraySlice<Float>) throws -> Void
    ) rethrows {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let width = parameters.width
        var block = [Float](repeating: 0, count: min(cores * height, parameters.height) * width)
        for first in stride(from: 0, to: parameters.height, by: cores * height) {
            let rows = first..<min(first + cores * height, parameters.height)
            let strips = rows.split(by: height)
            block.withUnsafeMutableBufferPointer { block in
                // Unsafe: each iteration writes its own part, and all have ended when the call returns.
                nonisolated(unsafe) let block = block
                DispatchQueue.concurrentPerform(iterations: strips.count) { index in
                    let strip = strips[index]
                    let start = (strip.lowerBound - first) * width
                    render(rows: strip, into: .init(rebasing: block[start..<start + strip.count * width]))
                }
            }
            for strip in strips {
                let start = (strip.lowerBound - first) * width
                try body(strip.lowerBound, block[start..<start + strip.count * width])
            }
        }
    }
}

extension Range<Int> {
    /// Splits the range into consecutive ranges of `length`; the last one may be shorter.
    fileprivate func split(by length: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: length).map { $0..<Swift.min($0 + length, upperBound) }
    }
}
