internal import CFITSIO
public import ScanBasics

/// Writes an image to a new FITS file row by row, so that memory use does not depend on the number of rows.
///
/// The file gets its name in ``finish()``; a writer that is deallocated before leaves no file.
public final class FITSImageWriter {
    /// Type of the stored samples. Values are rounded to the nearest integer and clamped to the type's range; NaN
    /// becomes 0.
    public enum SampleType: String, Sendable {
        /// BITPIX -32.
        case float32
        /// BITPIX 16.
        case int16
        /// BITPIX 16 with BZERO 32768.
        case uint16
    }

    /// Number of pixels per row.
    public let width: Int
    /// Number of rows.
    public let height: Int
    private let type: SampleType
    private let file: AtomicFile
    private var rowsWritten = 0

    /// Creates the file with a header of the mandatory cards, `header` and `history`.
    /// - Throws: `OutputError`.
    public init(
        path: String, width: Int, height: Int, type: SampleType, header: [HeaderEntry] = [], history: [String] = [],
        overwrite: Bool = false
    ) throws(OutputError) {
        precondition(width > 0 && height > 0, "an image must have pixels")
        (self.width, self.height, self.type) = (width, height, type)
        file = try AtomicFile(path: path, overwrite: overwrite)
        guard let memory = FITSMemoryFile() else { throw OutputError(.failed, "\(path): not enough memory") }
        // The image in memory has no rows, because only its header is used.
        var stub = [0, 0]
        memory.call { handle, status in
            ffcrim(handle, type == .float32 ? FLOAT_IMG : SHORT_IMG, 2, &stub, status)
            ffmkyj(handle, "NAXIS1", Int64(width), "&", status)
            ffmkyj(handle, "NAXIS2", Int64(height), "&", status)
        }
        if type == .uint16 {
            memory.write(HeaderEntry("BSCALE", .integer(1), comment: "unsigned 16-bit samples"))
            memory.write(HeaderEntry("BZERO", .integer(32768), comment: "unsigned 16-bit samples"))
        }
        header.forEach(memory.write)
        memory.write(history: history)
        guard let bytes = memory.headerBytes() else {
            throw OutputError(.failed, "\(path): CFITSIO refuses the header; check its keywords")
        }
        // With the real sides, CFITSIO would allocate the whole image when it closes the file.
        memory.call { handle, status in
            ffmkyj(handle, "NAXIS1", 0, "&", status)
            ffmkyj(handle, "NAXIS2", 0, "&", status)
        }
        try file.write(bytes)
    }

    /// Appends a row, which must have ``width`` pixels.
    /// - Throws: `OutputError` with `noSpace` or `failed`.
    public func write(row: some Collection<Float>) throws(OutputError) {
        precondition(row.count == width && rowsWritten < height, "a row of the wrong width, or too many rows")
        rowsWritten += 1
        var bytes: [UInt8] = []
        switch type {
        case .float32:
            bytes.reserveCapacity(4 * width)
            for sample in row { Self.append(sample.bitPattern, to: &bytes) }
        case .int16:
            bytes.reserveCapacity(2 * width)
            for sample in row { Self.append(Int16(Self.rounded(sample, -32768...32767)), to: &bytes) }
        case .uint16:
            bytes.reserveCapacity(2 * width)
            for sample in row { Self.append(Int16(Self.rounded(sample, 0...65535) - 32768), to: &bytes) }
        }
        try file.write(bytes)
    }

    /// Pads the last block and gives the file its name. Must be called after all rows have been written.
    /// - Throws: `OutputError`; the final name is then untouched.
    public func finish() throws(OutputError) {
        precondition(rowsWritten == height, "all rows must be written")
        let length = width * height * (type == .float32 ? 4 : 2)
        try file.write(
            repeatElement(
                0,
                count: (FITSMemoryFile.blockLength - length % FITSMemoryFile.blockLength) % FITSMemoryFile.blockLength))
        try file.commit()
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func rounded(_ sample: Float, _ range: ClosedRange<Float>) -> Float {
        guard !sample.isNaN else { return 0 }
        return min(max(sample.rounded(), range.lowerBound), range.upperBound)
    }
}
