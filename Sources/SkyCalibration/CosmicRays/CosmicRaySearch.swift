internal import CCalibration

/// Finds cosmic rays in one image by their sharp edges: L.A.Cosmic (van Dokkum 2001, PASP 113, 1420), with the order of
/// steps of astroscrappy.
///
/// Strips of rows are searched side by side; no result depends on them.
package struct CosmicRaySearch: Sendable {
    let parameters: CosmicRayParameters
    let width: Int
    let height: Int
    private let slots: Slots
    let filters: Filters

    /// Rows of a strip.
    private static let stripHeight = 64

    struct Filters: Sendable {
        var level: MedianFilter
        var significance: MedianFilter
        var fine: MedianFilter
        var fineSmooth: MedianFilter

        init(isSeparable: Bool) {
            level = MedianFilter(size: isSeparable ? 7 : 5, isSeparable: isSeparable)
            significance = level
            fine = MedianFilter(size: isSeparable ? 5 : 3, isSeparable: isSeparable)
            fineSmooth = MedianFilter(size: isSeparable ? 9 : 7, isSeparable: isSeparable)
        }
    }

    package init(_ parameters: CosmicRayParameters, width: Int, height: Int, slots: Slots = Slots(1)) {
        (self.parameters, self.width, self.height, self.slots) = (parameters, width, height, slots)
        filters = Filters(isSeparable: parameters.sepmed)
    }

    /// Pixels during the search.
    private struct State {
        /// Pixels in electrons, of which cosmic rays are replaced.
        var clean: UnsafeMutablePointer<Float>
        var peak: UnsafeMutablePointer<Float>
        /// 1 where nothing is searched.
        var masked: UnsafeMutablePointer<UInt8>
        /// Candidates, then the cosmic rays of an iteration.
        var found: UnsafeMutablePointer<UInt8>
        var grown: UnsafeMutablePointer<UInt8>
        /// The cosmic rays of all iterations.
        var rays: UnsafeMutablePointer<UInt8>
    }

    /// Finds cosmic rays, and replaces their pixels.
    /// - Parameters:
    ///   - pixels: of the image, in raster order; NaN where there is no value.
    ///   - masked: not 0 where nothing is searched; nil if no pixel is masked but those that are NaN.
    ///   - saturated: not 0 where a pixel is saturated whatever its value, since raw samples tell it; nil for none.
    ///   - levels: those of the whole image, if these pixels are a part of it.
    /// - Returns: 1 for each pixel of a cosmic ray, 0 for the others.
    package func clean(
        _ pixels: inout [Float], masked: [UInt8]? = nil, saturated: [UInt8]? = nil, levels: RayLevels? = nil
    ) -> [UInt8] {
        let count = width * height
        precondition(
            pixels.count == count && [masked, saturated].allSatisfy { $0.map { $0.count == count } ?? true },
            "pixels of another image")
        var (found, rays) = ([UInt8](repeating: 0, count: count), [UInt8](repeating: 0, count: count))
        guard let filled = electrons(pixels, masked, fill: levels?.fill) else { return rays }
        var (clean, mask) = (filled.clean, filled.mask)
        var (peak, grown) = ([Float](repeating: 0, count: count), found)
        clean.withUnsafeMutableBufferPointer { clean in
            peak.withUnsafeMutableBufferPointer { peak in
                mask.withUnsafeMutableBufferPointer { mask in
                    found.withUnsafeMutableBufferPointer { found in
                        grown.withUnsafeMutableBufferPointer { grown in
                            rays.withUnsafeMutableBufferPointer { rays in
                                guard let clean = clean.baseAddress, let peak = peak.baseAddress,
                                    let mask = mask.baseAddress, let found = found.baseAddress,
                                    let grown = grown.baseAddress, let rays = rays.baseAddress
                                else { return }
                                search(
                                    State(
                                        clean: clean, peak: peak, masked: mask, found: found, grown: grown, rays: rays),
                                    saturated, levels?.background)
                            }
                        }
                    }
                }
            }
        }
        let gain = Float(parameters.gain)
        for index in 0..<count where rays[index] != 0 { pixels[index] = clean[index] / gain }
        return rays
    }

    /// Finds the levels of an image, which a search in parts of it needs.
    /// - Parameters:
    ///   - pixels: all of the image.
    ///   - bits: of the mask of each pixel.
    /// - Returns: the levels; nil if the image has no pixel that can be searched.
    package func levels(_ pixels: [Float], bits: [UInt8]) -> RayLevels? {
        let (masked, saturated) = Self.masks(bits)
        guard let filled = electrons(pixels, masked, fill: nil) else { return nil }
        var (clean, mask) = (filled.clean, filled.mask)
        clean.withUnsafeMutableBufferPointer { clean in
            mask.withUnsafeMutableBufferPointer { mask in
                guard let clean = clean.baseAddress, let mask = mask.baseAddress else { return }
                maskSaturated(clean, mask, saturated)
            }
        }
        return Self.level(clean, mask).map { RayLevels(fill: filled.fill, background: $0) }
    }

    /// The pixels in electrons, of which those without a value have that of `fill`, or else of the median of the others.
    /// - Returns: the pixels, their mask, and the value; nil if there are no others.
    private func electrons(
        _ pixels: [Float], _ masked: [UInt8]?, fill: Float?
    ) -> (clean: [Float], mask: [UInt8], fill: Float)? {
        var clean = [Float](repeating: 0, count: pixels.count)
        var mask = [UInt8](repeating: 0, count: pixels.count)
        let gain = Float(parameters.gain)
        for index in pixels.indices {
            let value = pixels[index] * gain
            let isMasked = !value.isFinite || (masked.map { $0[index] != 0 } ?? false)
            (clean[index], mask[index]) = (value, isMasked ? 1 : 0)
        }
        guard let level = fill ?? Self.level(clean, mask) else { return nil }
        for index in clean.indices where !clean[index].isFinite { clean[index] = level }
        return (clean, mask, level)
    }

    /// The median of the pixels that are not masked; nil without one.
    private static func level(_ pixels: [Float], _ mask: [UInt8]) -> Float? {
        let level = FrameLevel.median.of(count: pixels.count) { range, values in
            for index in range {
                let value = Double(pixels[index])
                values[index - range.lowerBound] = mask[index] == 0 ? value : .infinity
            }
        }
        return level.map { Float($0) }
    }

    private func search(_ state: State, _ saturated: [UInt8]?, _ background: Float?) {
        maskSaturated(state.clean, state.masked, saturated)
        let count = width * height
        let background =
            background
            ?? Self.level(
                Array(UnsafeBufferPointer(start: state.clean, count: count)),
                Array(UnsafeBufferPointer(start: state.masked, count: count)))
        guard let background else { return }
        for _ in 0..<parameters.niter {
            let found = findRays(state)
            for index in 0..<count { state.rays[index] |= state.found[index] }
            if found == 0 { return }
            replace(state.clean, rays: state.rays, masked: state.masked, background: background)
        }
    }

    private var strips: [Range<Int>] {
        stride(from: 0, to: height, by: Self.stripHeight).map { $0..<min($0 + Self.stripHeight, height) }
    }

    private func forEachStrip(_ body: (Range<Int>) -> Void) {
        let strips = strips
        for result in slots.map(0..<strips.count, { body(strips[$0]) }) { _ = try? result.get() }
    }

    // MARK: - One iteration

    /// Marks the cosmic rays of an iteration, and returns the number of their pixels.
    private func findRays(_ state: State) -> Int {
        forEachStrip { findCandidates($0, state) }
        let (significance, low) = (Float(parameters.sigclip), Float(parameters.sigfrac * parameters.sigclip))
        // Those beside a cosmic ray that are significant, too, and then less significant ones beside these.
        _ = growAndKeep(from: state.found, to: state.grown, above: significance, state)
        return growAndKeep(from: state.grown, to: state.found, above: low, state)
    }

    private func growAndKeep(
        from marks: UnsafeMutablePointer<UInt8>, to grown: UnsafeMutablePointer<UInt8>, above limit: Float,
        _ state: State
    ) -> Int {
        var kept = 0
        for row in 0..<height {
            let start = row * width
            let (above, below) = (row > 0, row + 1 < height)
            skyfarm_grow_row(
                above ? marks + start - width : nil, marks + start, below ? marks + start + width : nil, width,
                grown + start)
            kept += skyfarm_keep_peaks(grown + start, state.peak + start, limit, state.masked + start, width)
        }
        return kept
    }

    private func findCandidates(_ rows: Range<Int>, _ state: State) {
        let image = StripRows(start: state.clean, rows: 0..<height, width: width)
        let outer = rows.grown(by: filters.significance.radius, height: height)
        let (noise, significance) = (StripRows.allocate(outer, width: width), StripRows.allocate(outer, width: width))
        let smooth = StripRows.allocate(rows, width: width)
        let fine = StripRows.allocate(rows.grown(by: filters.fineSmooth.radius, height: height), width: width)
        let fineSmooth = StripRows.allocate(rows, width: width)
        defer { for strip in [noise, significance, smooth, fine, fineSmooth] { strip.start.deallocate() } }
        let variance = Float(parameters.readnoise * parameters.readnoise)
        filters.level.apply(to: image, height: height, into: noise)
        for row in outer {
            skyfarm_noise_row(noise.row(row), variance, width, noise.row(row))
            skyfarm_laplacian_row(
                image.row(max(row - 1, 0)), image.row(row), image.row(min(row + 1, height - 1)), width,
                significance.row(row))
            skyfarm_scale_laplacian(significance.row(row), noise.row(row), width)
        }
        filters.significance.apply(to: significance, height: height, into: smooth)
        filters.fine.apply(to: image, height: height, into: fine)
        filters.fineSmooth.apply(to: fine, height: height, into: fineSmooth)
        let limits = skyfarm_ray_limits(
            significance: Float(parameters.sigclip), contrast: Float(parameters.objlim))
        for row in rows {
            let start = row * width
            skyfarm_find_candidates(
                significance.row(row), smooth.row(row), fine.row(row), fineSmooth.row(row), noise.row(row), limits,
                state.masked + start, width, state.peak + start, state.found + start)
        }
    }
}
