internal import CFITSIO
internal import Foundation
package import ScanBasics

/// A FITS file of several HDUs, which CFITSIO writes HDU by HDU and in raster order.
///
/// The images may be stored in compressed tiles, without loss: integers by Rice's method, floats by gzip. The file gets
/// its name in ``finish()``; a writer that is deallocated before leaves no file.
package final class FITSFileWriter {
    /// Type of the stored samples.
    package enum SampleType: Sendable {
        /// BITPIX 8, from 0 to 255.
        case uint8
        /// BITPIX 16.
        case int16
        /// BITPIX 32.
        case int32
        /// BITPIX -32.
        case float32

        fileprivate var bitpix: Int32 {
            switch self {
            case .uint8: BYTE_IMG
            case .int16: SHORT_IMG
            case .int32: LONG_IMG
            case .float32: FLOAT_IMG
            }
        }
    }

    private let path: String
    private let file: AtomicFile
    private var handle: UnsafeMutablePointer<fitsfile>?
    /// Number of the next sample of the image, from 1.
    private var place: Int64 = 1
    /// Whether the file has an HDU.
    package private(set) var hasHDU = false

    /// Creates a file without an HDU, whose bytes go to `file`. Errors name `path`.
    /// - Throws: ``OutputError``.
    package init(path: String, in file: AtomicFile) throws(OutputError) {
        (self.path, self.file) = (path, file)
        let place = try file.lend()
        var created: UnsafeMutablePointer<fitsfile>?
        try Self.call(path) { status in
            switch place {
            case .descriptor(let number): FITSLibrary.create(&created, in: number, &status.pointee)
            case .name(let name): _ = ffdkinit(&created, name, status)
            }
        }
        handle = created
    }

    deinit {
        var status: Int32 = 0
        if let handle { FITSLibrary.run { _ = ffclos(handle, &status) } }
    }

    /// Adds an HDU without data; as the first, it is the primary HDU.
    /// - Throws: ``OutputError``.
    package func addEmptyImage() throws(OutputError) {
        try call { handle, status in _ = ffcrim(handle, BYTE_IMG, 0, nil, status) }
        hasHDU = true
    }

    /// Adds an image, which is stored in tiles if `isCompressed`; the first is the primary HDU, unless it is compressed.
    /// - Throws: ``OutputError``.
    package func addImage(width: Int, height: Int, _ type: SampleType, isCompressed: Bool = false) throws(OutputError) {
        place = 1
        var sides = [width, height]
        try call { handle, status in
            if isCompressed {
                fits_set_compression_type(handle, type == .float32 ? GZIP_2 : RICE_1, status)
                fits_set_quantize_level(handle, 0, status)
            } else {
                fits_set_compression_type(handle, 0, status)
            }
            ffcrim(handle, type.bitpix, 2, &sides, status)
        }
        hasHDU = true
    }

    /// Adds a copy of the current HDU of a file that is open.
    /// - Throws: ``OutputError``.
    package func add(currentHDUOf source: FITSFile) throws(OutputError) {
        try call { handle, status in _ = ffcopy(source.handle, handle, 0, status) }
        hasHDU = true
    }

    // MARK: - Header

    /// Kinds of cards that describe samples, or how they are stored.
    private static let dropped: Set<Int32> = [
        TYP_STRUC_KEY, TYP_CMPRS_KEY, TYP_SCAL_KEY, TYP_NULL_KEY, TYP_DIM_KEY, TYP_RANG_KEY, TYP_CKSUM_KEY,
    ]

    /// Whether a card describes samples or how they are stored, so that it does not apply to other samples.
    package static func isStructural(_ card: String) -> Bool { dropped.contains(kind(card)) }

    /// Whether a card tells the unit of the samples.
    package static func isUnit(_ card: String) -> Bool { kind(card) == TYP_UNIT_KEY }

    private static func kind(_ card: String) -> Int32 {
        var text = Array(card.utf8CString)
        return ffgkcl(&text)
    }

    /// Appends a card as it is.
    /// - Throws: ``OutputError``.
    package func write(card: String) throws(OutputError) {
        try call { handle, status in HeaderCalls.append(card, handle, status) }
    }

    /// Writes an entry; a card with the same keyword is replaced.
    /// - Throws: ``OutputError``.
    package func set(_ entry: HeaderEntry) throws(OutputError) {
        try call { handle, status in HeaderCalls.replace(entry, handle, status) }
    }

    /// Writes a number with 15 digits; the card of the same keyword keeps its comment.
    /// - Throws: ``OutputError``.
    package func setReal(_ key: String, _ value: Double) throws(OutputError) {
        try call { handle, status in _ = ffukyd(handle, key, value, -15, nil, status) }
    }

    /// Appends a line as HISTORY.
    /// - Throws: ``OutputError``.
    package func write(history line: String) throws(OutputError) {
        try call { handle, status in _ = ffphis(handle, FITSMemoryFile.printable(line), status) }
    }

    // MARK: - Samples

    /// Appends samples in raster order, of an image of integers of 32 bits.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Int32]) throws(OutputError) { try put(samples, ffpprk) }

    /// Appends samples in raster order, of an image of integers of 16 bits.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Int16]) throws(OutputError) { try put(samples, ffppri) }

    /// Appends samples in raster order, of an image of bytes.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [UInt8]) throws(OutputError) { try put(samples, ffpprb) }

    /// Appends samples in raster order, of an image of floats.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Float]) throws(OutputError) { try put(samples, ffppre) }

    private func put<Sample>(
        _ samples: [Sample],
        _ write: (
            UnsafeMutablePointer<fitsfile>?, Int, Int64, Int64, UnsafeMutablePointer<Sample>?,
            UnsafeMutablePointer<Int32>?
        ) -> Int32
    ) throws(OutputError) {
        var samples = samples
        let (first, count) = (place, Int64(samples.count))
        try call { handle, status in _ = write(handle, 1, first, count, &samples, status) }
        place += count
    }

    /// Gives the file its name, once all samples of its images are written.
    /// - Throws: ``OutputError``; the final name is then untouched.
    package func finish() throws(OutputError) {
        let closing = handle
        handle = nil
        try Self.call(path) { status in _ = ffclos(closing, status) }
        try file.takeBack()
        try file.commit()
    }

    // MARK: - CFITSIO

    private func call(
        _ body: (UnsafeMutablePointer<fitsfile>, UnsafeMutablePointer<Int32>) -> Void
    ) throws(OutputError) {
        guard let handle else { return }
        try Self.call(path) { status in body(handle, status) }
    }

    private static func call(_ path: String, _ body: (UnsafeMutablePointer<Int32>) -> Void) throws(OutputError) {
        var status: Int32 = 0
        var code: Int32 = 0
        FITSLibrary.run {
            errno = 0
            body(&status)
            code = errno
        }
        if status == 0 { return }
        if [ENOSPC, EDQUOT, EFBIG].contains(code) { throw AtomicFile.failure(path, code) }
        throw OutputError(.failed, "\(path): \(FITSLibrary.words(for: status)); nothing was written")
    }
}
