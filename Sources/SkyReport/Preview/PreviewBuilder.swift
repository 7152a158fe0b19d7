/// Shrinks an image to a preview, row by row: it holds the preview and nothing of the image.
///
/// Each pixel of the preview is the mean of the finite pixels of a square of the image, not a number where there are
/// none.
public struct PreviewBuilder: Sendable {
    /// Columns of the image.
    public let width: Int
    /// Rows of the image.
    public let height: Int
    /// Pixels of the image along each side of a pixel of the preview.
    public let factor: Int
    private let columns: Int
    private var pixels: [Float] = []
    private var sums: [Double]
    private var counts: [Int32]
    private var rowsTaken = 0

    /// Begins the preview of an image that has pixels; neither side of it is longer than `limit`.
    public init(width: Int, height: Int, limit: Int = 1600) {
        precondition(width > 0 && height > 0 && limit > 0, "an image has pixels")
        (self.width, self.height) = (width, height)
        factor = Self.factor(width: width, height: height, limit: limit)
        columns = (width + factor - 1) / factor
        sums = Array(repeating: 0, count: columns)
        counts = Array(repeating: 0, count: columns)
        pixels.reserveCapacity(columns * ((height + factor - 1) / factor))
    }

    /// The ``factor`` of an image's preview.
    public static func factor(width: Int, height: Int, limit: Int = 1600) -> Int {
        (max(width, height) + limit - 1) / limit
    }

    /// Takes the next rows of the image, whole ones, in the order of the file.
    public mutating func add(rows: UnsafeBufferPointer<Float>) {
        precondition(rows.count % width == 0 && rowsTaken + rows.count / width <= height, "whole rows of the image")
        for start in stride(from: 0, to: rows.count, by: width) {
            add(row: UnsafeBufferPointer(rebasing: rows[start..<start + width]))
        }
    }

    private mutating func add(row: UnsafeBufferPointer<Float>) {
        for column in 0..<columns {
            let square = row[column * factor..<min(width, (column + 1) * factor)]
            for pixel in square where pixel.isFinite {
                sums[column] += Double(pixel)
                counts[column] += 1
            }
        }
        rowsTaken += 1
        if rowsTaken % factor == 0 || rowsTaken == height { finishRow() }
    }

    private mutating func finishRow() {
        for column in 0..<columns {
            pixels.append(counts[column] == 0 ? .nan : Float(sums[column] / Double(counts[column])))
            (sums[column], counts[column]) = (0, 0)
        }
    }

    /// The preview, once all rows were taken.
    public func finish() -> Preview {
        precondition(rowsTaken == height, "all rows are taken")
        return Preview(width: columns, height: pixels.count / columns, factor: factor, pixels: pixels)
    }
}
