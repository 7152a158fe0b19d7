internal import SkyExtraction
internal import SkyFITS

/// Combines the flags of a flag image over the pixels of each source.
enum FlagReader {
    /// Returns for each source the bitwise OR of the flags of its pixels, and the number of its pixels with a flag.
    /// - Throws: ``ImageError`` if the flag image cannot be read, or ``ScanSetupError`` if it is too small.
    static func flags(of pixels: PixelRuns, in image: FITSImage) throws -> (values: [Double], counts: [Double]) {
        let sourceCount = pixels.count.count
        var values = [Int](repeating: 0, count: sourceCount)
        var counts = [Double](repeating: 0, count: sourceCount)
        let segments = SegmentRows(pixels, height: image.height)
        var line = [Float](repeating: 0, count: image.width)
        for row in 0..<image.height where !segments[row].isEmpty {
            try line.withUnsafeMutableBufferPointer { line in
                try image.read(rows: row..<row + 1, columns: 0..<image.width, into: line)
            }
            for segment in segments[row] {
                for column in Int(segment.column)..<Int(segment.column + segment.length) where line[column] != 0 {
                    values[Int(segment.source)] |= Int(exactly: line[column]) ?? 0
                    counts[Int(segment.source)] += 1
                }
            }
        }
        return (values.map(Double.init), counts)
    }
}
