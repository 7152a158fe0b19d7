internal import CCalibration
package import SkyFITS

/// Reduces windows of an image of a frame: overscan, bias, dark, flat, bad pixels and saturation.
///
/// A pixel does not depend on the window in which it is reduced.
package struct FrameReduction: Sendable {
    package internal(set) var steps: ReductionSteps
    package let masters: [MasterImages.Role: MasterPixels]
    /// The frame, in messages.
    private let name: String

    package init(_ steps: ReductionSteps, _ masters: [MasterImages.Role: MasterPixels], of name: String) {
        (self.steps, self.masters, self.name) = (steps, masters, name)
    }

    /// Reads what all windows need.
    /// - Throws: ``ScanSetupError`` if a column has no overscan, or the bias still has it; errors of `read`.
    init(_ plan: ReductionPlan, _ read: RawReader) throws {
        var steps = plan.steps
        (masters, name) = (plan.masters, "\(plan.frame.location)")
        if let overscan = plan.overscan {
            try OverscanCheck(plan, overscan).check(read)
            if !plan.isOverscanByRow {
                let rect = PixelRect(x: overscan.x, y: overscan.y)
                let samples = try Self.samples(rect, read)
                let levels = samples.withUnsafeBufferPointer { samples in
                    OverscanLevels(rect, RawWindow(rect, samples), isByRow: false, plan.recipe.overscanMethod)
                }
                steps.overscan?.columnLevels = try plan.trim.x.map { column in
                    guard let level = levels[column] else { throw plan.missingLevel(column) }
                    return level
                }
            }
        }
        self.steps = steps
    }

    static func samples(_ rect: PixelRect, _ read: RawReader) throws -> [Float] {
        try [Float](unsafeUninitializedCapacity: rect.area) { buffer, count in
            try read(rect, UnsafeMutableBufferPointer(rebasing: buffer.prefix(rect.area)))
            count = rect.area
        }
    }

    /// Reduces a window.
    /// - Parameters:
    ///   - window: pixels of the reduced image.
    ///   - raw: the samples of its ``ReductionSteps/rawWindow(of:)``, or more.
    ///   - pixels: room for the pixels of the window.
    ///   - mask: the bits of its pixels, to which others are added.
    /// - Throws: ``ScanSetupError`` if a row has no overscan.
    func reduce(
        _ window: PixelRect, _ raw: RawWindow, into pixels: UnsafeMutablePointer<Float>,
        mask: UnsafeMutablePointer<UInt8>
    ) throws {
        let needed = steps.rawWindow(of: window)
        precondition(steps.whole.contains(window) && raw.rect.contains(needed), "samples of another window")
        guard let first = raw.samples.baseAddress else { return }
        let (x, y) = (steps.kept.x.lowerBound, steps.kept.y.lowerBound)
        let levels = steps.overscan.flatMap { overscan -> OverscanLevels? in
            guard overscan.isByRow else { return nil }
            let beside = PixelRect(x: overscan.section.x, y: needed.y)
            return OverscanLevels(beside, raw, isByRow: true, overscan.method)
        }
        var reduction = skyfarm_reduction()
        reduction.dark_factor = steps.darkFactor
        reduction.saturation = steps.saturation ?? .infinity
        reduction.gain = steps.gain
        for (index, row) in window.y.enumerated() {
            if let levels {
                guard let level = levels[row + y] else {
                    throw ScanSetupError(
                        "\(name): the overscan has no value for row \(row + y + 1) of the image; correct --overscan or "
                            + "--trim")
                }
                reduction.overscan = level
            }
            let start = (row + y - raw.rect.y.lowerBound) * raw.rect.width
            let place = start + x + window.x.lowerBound - raw.rect.x.lowerBound
            let target = index * window.width
            apply(&reduction, row, window.x) {
                skyfarm_reduce_row(first + place, $0, window.width, pixels + target, mask + target)
            }
        }
    }

    /// Makes the pixels of a window, in which cosmic rays are searched if it is the whole image.
    /// - Parameters:
    ///   - window: pixels of the reduced image.
    ///   - raw: the samples of its ``ReductionSteps/rawWindow(of:)``, or more.
    ///   - pixels: room for the pixels of the window.
    ///   - bits: room for the bits of their mask, if they are needed and no cosmic rays are searched.
    /// - Throws: ``ScanSetupError`` if a row has no overscan, or cosmic rays are to be searched in a part of the image.
    package func calibrate(
        _ window: PixelRect, _ raw: RawWindow, into pixels: UnsafeMutableBufferPointer<Float>,
        bits: UnsafeMutableBufferPointer<UInt8>? = nil
    ) throws {
        precondition(pixels.count >= window.area && bits.map { $0.count >= window.area } ?? true, "no room")
        guard let target = pixels.baseAddress else { return }
        guard steps.rays == nil else {
            guard window == steps.whole, bits == nil else {
                throw ScanSetupError("\(name): a part has no cosmic rays of its own")
            }
            let output = try ImageCalibration(self).calibrate { _, body in try body(raw) }
            return output.pixels.withUnsafeBufferPointer { _ = pixels.update(fromContentsOf: $0) }
        }
        if let bits, let mask = bits.baseAddress {
            mask.update(repeating: 0, count: window.area)
            return try reduce(window, raw, into: target, mask: mask)
        }
        var mask = [UInt8](repeating: 0, count: window.area)
        try mask.withUnsafeMutableBufferPointer { mask in
            guard let mask = mask.baseAddress else { return }
            try reduce(window, raw, into: target, mask: mask)
        }
    }

    /// Calls `body` with the masters and column levels of a row.
    private func apply(
        _ reduction: inout skyfarm_reduction, _ row: Int, _ columns: Range<Int>, _ body: (skyfarm_reduction) -> Void
    ) {
        func start(_ role: MasterImages.Role) -> UnsafePointer<Float>? {
            masters[role].map { $0.start + $0.origin + row * $0.rowLength + columns.lowerBound }
        }
        (reduction.bias, reduction.dark) = (start(.bias), start(.dark))
        (reduction.flat, reduction.bad) = (start(.flat), start(.badPixels))
        guard let levels = steps.overscan?.columnLevels, !levels.isEmpty else { return body(reduction) }
        levels.withUnsafeBufferPointer { levels in
            reduction.column_overscan = levels.baseAddress.map { $0 + columns.lowerBound }
            body(reduction)
        }
    }
}

/// Raw samples of a window, row by row.
package struct RawWindow {
    let rect: PixelRect
    let samples: UnsafeBufferPointer<Float>

    package init(_ rect: PixelRect, _ samples: UnsafeBufferPointer<Float>) {
        precondition(samples.count >= rect.area, "samples of another window")
        (self.rect, self.samples) = (rect, samples)
    }

    /// Copies the samples of a window inside this one.
    func copy(_ window: PixelRect, to target: UnsafeMutableBufferPointer<Float>) {
        for (index, row) in window.y.enumerated() {
            let from = (row - rect.y.lowerBound) * rect.width + window.x.lowerBound - rect.x.lowerBound
            for column in 0..<window.width { target[index * window.width + column] = samples[from + column] }
        }
    }
}
