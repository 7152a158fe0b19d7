package import SkyFITS

/// The steps by which the samples of one image are calibrated, in numbers. They may travel to where its samples are, as may
/// its masters.
package struct ReductionSteps: Codable, Hashable, Sendable {
    /// The overscan that is subtracted.
    package struct Overscan: Codable, Hashable, Sendable {
        /// Where it is in the raw image.
        var section: PixelRect
        /// Whether each row has a level, and not each column.
        var isByRow: Bool
        var method: OverscanLevels.Method
        /// The levels of the columns that are kept; empty if rows have levels.
        var columnLevels: [Double] = []
    }

    /// The pixels that are kept, in the raw image.
    package var kept: PixelRect
    package var overscan: Overscan?
    package var darkFactor = 1.0
    /// By what pixels are multiplied.
    package var gain = 1.0
    /// Raw samples from this level on are saturated; nil if none are.
    package var saturation: Double?
    /// The search for cosmic rays; nil for none.
    package var rays: CosmicRayParameters?
    /// Whether the pixels of cosmic rays become NaN.
    package var masksRays = false

    /// The whole reduced image.
    package var whole: PixelRect { PixelRect(x: 0..<kept.width, y: 0..<kept.height) }

    /// Whether the numbers fit each other, which another process may have sent.
    package var isValid: Bool {
        let sides = 0...Int(Int32.max)
        func isPossible(_ rect: PixelRect) -> Bool {
            [rect.x.lowerBound, rect.x.upperBound, rect.y.lowerBound, rect.y.upperBound].allSatisfy(sides.contains)
                && sides.contains(rect.area) && !rect.isEmpty
        }
        // An endless search would hold a slot.
        guard isPossible(kept), (0...100).contains(rays?.niter ?? 0) else { return false }
        guard let overscan else { return true }
        guard isPossible(overscan.section) else { return false }
        return overscan.isByRow || overscan.columnLevels.count == kept.width
    }

    /// The raw samples that a window of the reduced image needs, with the overscan of its rows.
    package func rawWindow(of window: PixelRect) -> PixelRect {
        let (x, y) = (kept.x.lowerBound, kept.y.lowerBound)
        var columns = window.x.lowerBound + x..<window.x.upperBound + x
        if let overscan, overscan.isByRow {
            columns =
                min(
                    columns.lowerBound, overscan.section.x.lowerBound)..<max(
                    columns.upperBound, overscan.section.x.upperBound)
        }
        return PixelRect(x: columns, y: window.y.lowerBound + y..<window.y.upperBound + y)
    }
}

/// Pixels of a master in memory.
package struct MasterPixels: @unchecked Sendable {
    // Unchecked: the memory is not written any more, and lives as long as its owner.
    private let owner: any AnyObject & Sendable
    let start: UnsafePointer<Float>
    /// Pixels of a row of the master.
    package let rowLength: Int
    /// Number of the pixel that belongs to the first one of the reduced image.
    package let origin: Int

    /// Pixels of `memory`, which `owner` keeps; nil if they do not cover `area`, the reduced image.
    package init?(
        _ memory: UnsafeBufferPointer<Float>, of owner: any AnyObject & Sendable, rowLength: Int, origin: Int,
        covering area: PixelRect
    ) {
        let rows = max(0, area.height - 1).multipliedReportingOverflow(by: rowLength)
        guard let start = memory.baseAddress, origin >= 0, rowLength >= area.width, !rows.overflow,
            rows.partialValue <= memory.count, origin <= memory.count - rows.partialValue - area.width
        else { return nil }
        (self.owner, self.start, self.rowLength, self.origin) = (owner, start, rowLength, origin)
    }
}
