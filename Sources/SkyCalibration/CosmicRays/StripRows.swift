/// Rows of an image in memory, which may be a part of its rows.
struct StripRows {
    let start: UnsafeMutablePointer<Float>
    let rows: Range<Int>
    let width: Int

    /// A row of the image.
    func row(_ number: Int) -> UnsafeMutablePointer<Float> { start + (number - rows.lowerBound) * width }

    /// Memory for rows, which the caller deallocates.
    static func allocate(_ rows: Range<Int>, width: Int) -> StripRows {
        StripRows(start: .allocate(capacity: max(1, rows.count * width)), rows: rows, width: width)
    }
}

extension Range<Int> {
    /// The range with `margin` more on both sides, within an image of this height.
    func grown(by margin: Int, height: Int) -> Range<Int> {
        Swift.max(0, lowerBound - margin)..<Swift.min(height, upperBound + margin)
    }
}
