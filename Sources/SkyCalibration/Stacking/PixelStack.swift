package import CCalibration

/// Combines the values that frames have at the same pixels, tile by tile: a tile has some pixels of all frames, so that
/// it stays in the processor's cache.
///
/// No result depends on how pixels are divided into tiles.
package struct PixelStack: Sendable {
    package let method: StackMethod
    package let frameCount: Int
    /// Whether the number of values and their scatter are computed.
    package let measures: Bool
    private let sorting: SortingNetwork
    private let selection: SortingNetwork
    private let tileWidth: Int

    /// Maximum number of frames: the counts have 16 bits, and the comparators as well.
    package static let maximumFrameCount = 32_767

    /// Bytes of a tile that fit the second level of a processor's cache, with what else is used.
    private static let tileSize = 384 << 10

    /// A stack of `frameCount` frames.
    package init(_ method: StackMethod, frameCount: Int, measures: Bool) {
        precondition((1...Self.maximumFrameCount).contains(frameCount), "too many frames")
        (self.method, self.frameCount, self.measures) = (method, frameCount, measures)
        let isSorted = method != .mean
        sorting = SortingNetwork(sorting: isSorted ? frameCount : 0)
        selection = SortingNetwork(selectingMiddleOf: isSorted ? frameCount : 0)
        tileWidth = min(Int(skyfarm_tile_width), max(16, Self.tileSize / (8 * frameCount) / 16 * 16))
    }

    /// What is computed for pixels.
    package struct Output {
        package var pixels: UnsafeMutableBufferPointer<Float>
        /// Standard deviations and numbers of the values used; nil unless they are measured.
        package var scatter: UnsafeMutableBufferPointer<Float>?
        package var counts: UnsafeMutableBufferPointer<Int16>?

        package init(
            pixels: UnsafeMutableBufferPointer<Float>, scatter: UnsafeMutableBufferPointer<Float>? = nil,
            counts: UnsafeMutableBufferPointer<Int16>? = nil
        ) {
            (self.pixels, self.scatter, self.counts) = (pixels, scatter, counts)
        }
    }

    /// Combines pixels `range` of the frames.
    /// - Parameters:
    ///   - samples: of each frame, in order.
    ///   - corrections: of each frame, in the same order.
    ///   - range: numbers of pixels in `samples` and in the output.
    ///   - output: where the results go.
    package func combine(
        _ samples: [skyfarm_samples], _ corrections: [skyfarm_correction], _ range: Range<Int>, into output: Output
    ) {
        let tile = StackTile(frameCount: frameCount, width: tileWidth)
        let rejecting = RejectingPixels(frameCount: frameCount, capacity: tileWidth, measures: measures)
        for first in stride(from: range.lowerBound, to: range.upperBound, by: tileWidth) {
            tile.width = min(tileWidth, range.upperBound - first)
            var missing = 0
            for (frame, samples) in samples.enumerated() {
                missing += skyfarm_stack_values(
                    samples, corrections[frame], first, tile.width, tile.values + frame * tile.width)
            }
            if missing == 0 {
                combineComplete(tile, first, output, rejecting)
            } else {
                combine(tile, first, output)
            }
        }
        combine(rejecting, into: output)
    }

    /// Combines pixels of which no value is missing. Those of which values are rejected are set aside.
    private func combineComplete(
        _ tile: StackTile, _ first: Int, _ output: Output, _ rejecting: RejectingPixels
    ) {
        guard let pixels = output.pixels.baseAddress.map({ $0 + first }) else { return }
        let (low, high) = ((frameCount - 1) / 2 * tile.width, frameCount / 2 * tile.width)
        if measures || method != .median {
            skyfarm_measure_columns(tile.values, frameCount, tile.width, tile.columns)
            writeScatter(tile, first, output)
        }
        if method == .median {
            apply(selection, to: tile.values, tile.width)
            skyfarm_middle_of_rows(tile.values + low, tile.values + high, tile.width, pixels)
        } else {
            skyfarm_means_of_columns(tile.columns, tile.width, pixels)
        }
        guard case .clip(let sigma, let iterations) = method, iterations != 0 else { return }
        tile.sorted.update(from: tile.values, count: frameCount * tile.width)
        apply(selection, to: tile.sorted, tile.width)
        let count = skyfarm_find_rejecting(
            tile.sorted + low, tile.sorted + high, tile.width, sigma, tile.columns, tile.rejecting)
        for column in UnsafeBufferPointer(start: tile.rejecting, count: count) {
            if rejecting.isFull { combine(rejecting, into: output) }
            rejecting.add(Int(column), of: tile, pixel: first + Int(column))
        }
    }

    /// Combines the pixels that were set aside, and writes them to their places.
    private func combine(_ rejecting: RejectingPixels, into output: Output) {
        combine(rejecting.closedTile(), 0, rejecting.output)
        for (column, pixel) in rejecting.pixels.enumerated() {
            output.pixels[pixel] = rejecting.output.pixels[column]
            guard measures else { continue }
            output.scatter?[pixel] = rejecting.output.scatter?[column] ?? .nan
            output.counts?[pixel] = rejecting.output.counts?[column] ?? 0
        }
        rejecting.removeAll()
    }

    /// Combines pixels of any values.
    private func combine(_ tile: StackTile, _ first: Int, _ output: Output) {
        guard let pixels = output.pixels.baseAddress.map({ $0 + first }) else { return }
        switch method {
        case .median:
            sum(tile, isClipped: false)
            sort(tile)
            skyfarm_medians_of_columns(tile.sorted, tile.width, tile.columns, pixels)
        case .mean:
            sum(tile, isClipped: false)
            skyfarm_means_of_columns(tile.columns, tile.width, pixels)
        case .clip:
            sort(tile)
            sum(tile, isClipped: true)
            skyfarm_means_of_columns(tile.columns, tile.width, pixels)
        }
        if measures { skyfarm_deviate_columns(tile.values, frameCount, tile.width, tile.columns) }
        writeScatter(tile, first, output)
    }

    private func writeScatter(_ tile: StackTile, _ first: Int, _ output: Output) {
        guard measures, let scatter = output.scatter?.baseAddress, let counts = output.counts?.baseAddress
        else { return }
        skyfarm_scatter_of_columns(tile.columns, tile.width, scatter + first, counts + first)
    }

    private func apply(_ network: SortingNetwork, to values: UnsafeMutablePointer<Double>, _ width: Int) {
        network.comparators.withUnsafeBufferPointer { comparators in
            skyfarm_apply_network(values, width, comparators.baseAddress, comparators.count)
        }
    }

    private func sort(_ tile: StackTile) {
        tile.sorted.update(from: tile.values, count: frameCount * tile.width)
        apply(sorting, to: tile.sorted, tile.width)
    }

    /// Sums the values that are used.
    private func sum(_ tile: StackTile, isClipped: Bool) {
        skyfarm_admit_all(tile.columns, tile.width)
        _ = skyfarm_sum_columns(tile.values, frameCount, tile.width, tile.columns)
        guard isClipped, case .clip(let sigma, let iterations) = method else { return }
        // Each iteration rejects a value of a pixel, or is the last one.
        for _ in 0..<min(iterations ?? frameCount, frameCount) {
            skyfarm_deviate_columns(tile.values, frameCount, tile.width, tile.columns)
            skyfarm_clip_columns(tile.sorted, tile.width, sigma, tile.columns)
            if skyfarm_sum_columns(tile.values, frameCount, tile.width, tile.columns) == 0 { break }
        }
    }
}
