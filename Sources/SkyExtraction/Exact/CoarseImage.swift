package import SkyFITS

/// Sums of the background-subtracted samples over square blocks of pixels, in which lines too faint for the threshold
/// are found.
///
/// The samples of a row and block are added in a fixed order and rounded to integers; only integers are added across
/// rows. So the sums do not depend on how the image is cut into bands.
public struct CoarseImage: Codable, Equatable, Sendable {
    /// Units of a sum per noise of a pixel.
    package static let unitsPerNoise: Float = 16
    /// Magnitude at which the sum of a row of a block is cut off: no sum of a block overflows.
    private static let limit: Float = 67_108_864

    /// Side of a block in pixels: 4, 8 or 16.
    package let block: Int
    /// Blocks of a row; the last one may reach beyond the image.
    package let columns: Int
    /// First row of blocks.
    package let firstRow: Int
    /// The sums, row by row.
    package private(set) var sums: [Int32]

    /// Zeros for the pixel rows `rows` of an image.
    package init(image: PixelRect, rows: Range<Int>) {
        let block = Self.block(of: image)
        (self.block, columns) = (block, (image.width + block - 1) / block)
        firstRow = rows.lowerBound / block
        let end = rows.isEmpty ? firstRow : (rows.upperBound - 1) / block + 1
        sums = [Int32](repeating: 0, count: columns * (end - firstRow))
    }

    /// Rows of blocks.
    package var rows: Int { columns == 0 ? 0 : sums.count / columns }

    /// The side of a block, by which the search takes a few per cent of the scan's time.
    private static func block(of image: PixelRect) -> Int {
        let side = max(image.width, image.height)
        return side <= 1100 ? 4 : side <= 2200 ? 8 : 16
    }

    /// Adds a row of the image: `samples` are background-subtracted. Those that are not finite count as 0.
    package mutating func add(row: Int, _ samples: UnsafeBufferPointer<Float>, noise: Float) {
        guard noise > 0, let base = samples.baseAddress else { return }
        let scale = Self.unitsPerNoise / noise
        let start = (row / block - firstRow) * columns
        let whole = samples.count / block
        let raw = UnsafeRawPointer(base)
        sums.withUnsafeMutableBufferPointer { sums in
            for column in 0..<columns {
                var sum: Float = 0
                if column < whole {
                    var lanes = SIMD4<Float>.zero
                    for offset in stride(from: column * block, to: (column + 1) * block, by: 4) {
                        lanes += raw.loadUnaligned(
                            fromByteOffset: offset * MemoryLayout<Float>.size, as: SIMD4<Float>.self)
                    }
                    sum = (lanes.x + lanes.y) + (lanes.z + lanes.w)
                } else {
                    for offset in column * block..<samples.count { sum += samples[offset] }
                }
                let scaled = (sum * scale).rounded(.toNearestOrEven)
                guard scaled.magnitude < .infinity else { continue }
                sums[start + column] &+= Int32(min(max(scaled, -Self.limit), Self.limit))
            }
        }
    }

    /// Adds the sums of some rows of the same image; nothing if they do not fit.
    package mutating func add(_ other: CoarseImage) {
        guard other.columns == columns, other.block == block, other.firstRow >= firstRow,
            other.firstRow + other.rows <= firstRow + rows
        else { return }
        let start = (other.firstRow - firstRow) * columns
        for place in other.sums.indices { sums[start + place] &+= other.sums[place] }
    }

    /// Whether this has the shape of the rows `rows` of an image.
    package func fits(image: PixelRect, rows: Range<Int>) -> Bool {
        let expected = CoarseImage(image: image, rows: rows)
        return (block, columns, firstRow, sums.count)
            == (expected.block, expected.columns, expected.firstRow, expected.sums.count)
    }
}
