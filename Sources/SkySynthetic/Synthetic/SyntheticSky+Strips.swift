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
        try ImageStrips(width: parameters.width, height: parameters.height, step: height).forEach(
            { render(rows: $0, into: $1) }, body)
    }
}

/// An image that is rendered in strips of full rows.
struct ImageStrips {
    let width: Int
    let height: Int
    /// Rows of a strip.
    let step: Int

    /// Renders the strips on all processors and passes them to `body` in order, from the first row.
    func forEach(
        _ render: @Sendable (_ rows: Range<Int>, _ samples: UnsafeMutableBufferPointer<Float>) -> Void,
        _ body: (_ firstRow: Int, _ samples: ArraySlice<Float>) throws -> Void
    ) rethrows {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        var block = [Float](repeating: 0, count: min(cores * step, height) * width)
        for first in stride(from: 0, to: height, by: cores * step) {
            let rows = first..<min(first + cores * step, height)
            let strips = rows.split(by: step)
            block.withUnsafeMutableBufferPointer { block in
                // Unsafe: each iteration writes its own part, and all have ended when the call returns.
                nonisolated(unsafe) let block = block
                DispatchQueue.concurrentPerform(iterations: strips.count) { index in
                    let strip = strips[index]
                    let start = (strip.lowerBound - first) * width
                    render(strip, .init(rebasing: block[start..<start + strip.count * width]))
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
