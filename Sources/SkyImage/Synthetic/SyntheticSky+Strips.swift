import Dispatch
import Foundation

extension SyntheticSky {
    /// Renders the whole image in strips on all cores and hands them to `body` in order, from the first row.
    ///
    /// Memory stays constant: no more strips are held than there are cores. A strip has `height` rows, the last one the
    /// rest.
    public func forEachStrip(height: Int = 64, _ body: (_ firstRow: Int, _ samples: [Float]) throws -> Void) rethrows {
        let starts = Array(stride(from: 0, to: parameters.height, by: height))
        let batch = ProcessInfo.processInfo.activeProcessorCount
        for first in stride(from: 0, to: starts.count, by: batch) {
            let starts = starts[first..<min(first + batch, starts.count)]
            var strips = [[Float]](repeating: [], count: starts.count)
            strips.withUnsafeMutableBufferPointer { strips in
                // Unsafe: each iteration writes an element of its own, and all have ended when the call returns.
                nonisolated(unsafe) let strips = strips
                DispatchQueue.concurrentPerform(iterations: starts.count) { index in
                    let start = starts[starts.startIndex + index]
                    strips[index] = render(rows: start..<min(start + height, parameters.height))
                }
            }
            for (start, samples) in zip(starts, strips) { try body(start, samples) }
        }
    }
}
