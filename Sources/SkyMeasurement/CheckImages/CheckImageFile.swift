internal import CFITSIO
internal import Foundation
package import ScanBasics
package import SkyFITS

/// A FITS file of the check images of one kind, an HDU for each image of the scanned file; CFITSIO writes it row by row.
///
/// If its name ends in `.fz`, the images are stored in compressed tiles, without loss: integers by Rice's method, others
/// by gzip. The file gets its name in ``finish()``.
package final class CheckImageFile {
    /// The kind of pixels in it.
    package let image: CheckImage
    private let path: String
    private let file: AtomicFile
    private let isCompressed: Bool
    private var handle: UnsafeMutablePointer<fitsfile>?
    /// Where the next sample goes, from 1.
    private var place: Int64 = 1

    /// Creates the file for images of the kind `image`. The first is the primary HDU if it is the `isOnly` one and the
    /// tiles are not compressed.
    /// - Throws: ``OutputError``.
    package convenience init(_ image: CheckImage, path: String, isOnly: Bool, overwrite: Bool) throws(OutputError) {
        try self.init(image, path: path, in: AtomicFile(path: path, overwrite: overwrite), isOnly: isOnly)
    }

    /// As above, in a new file.
    package init(_ image: CheckImage, path: String, in file: AtomicFile, isOnly: Bool) throws(OutputError) {
        (self.image, self.path, self.file) = (image, path, file)
        isCompressed = path.hasSuffix(".fz")
        let place = try file.lend()
        var created: UnsafeMutablePointer<fitsfile>?
        try Self.call(path) { status in
            switch place {
            case .descriptor(let number): FITSLibrary.create(&created, in: number, &status.pointee)
            case .name(let name): _ = ffdkinit(&created, name, status)
            }
        }
        handle = created
        if !isOnly || isCompressed { try call { handle, status in _ = ffcrim(handle, BYTE_IMG, 0, nil, status) } }
    }

    deinit {
        var status: Int32 = 0
        if let handle { FITSLibrary.run { _ = ffclos(handle, &status) } }
    }

    /// Begins the HDU of an image.
    /// - Parameters:
    ///   - width: pixels per row.
    ///   - height: number of rows.
    ///   - header: of the scanned image; cards that do not depend on its samples are kept.
    ///   - scale: sides of a pixel in pixels of the scanned image, whose coordinates the header has.
    /// - Throws: ``OutputError``.
    package func begin(
        width: Int, height: Int, header: FITSHeader, scale: (x: Int, y: Int) = (1, 1)
    ) throws(OutputError) {
        place = 1
        var sides = [width, height]
        let (isInteger, isCompressed) = (image == .segmentation, isCompressed)
        try call { handle, status in
            if isCompressed {
                fits_set_compression_type(handle, isInteger ? RICE_1 : GZIP_2, status)
                fits_set_quantize_level(handle, 0, status)
            }
            ffcrim(handle, isInteger ? LONG_IMG : FLOAT_IMG, 2, &sides, status)
        }
        for index in 0..<header.count { try copy(header[index]) }
        for (axis, scale) in [(1, scale.x), (2, scale.y)] where scale != 1 { try magnify(axis, by: scale, header) }
    }

    /// Appends samples in raster order, of a segmentation.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Int32]) throws(OutputError) {
        var samples = samples
        let first = place
        try call { handle, status in _ = ffpprk(handle, 1, first, Int64(samples.count), &samples, status) }
        place += Int64(samples.count)
    }

    /// Appends samples in raster order, of an image that is no segmentation.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Float]) throws(OutputError) {
        var samples = samples
        let first = place
        try call { handle, status in _ = ffppre(handle, 1, first, Int64(samples.count), &samples, status) }
        place += Int64(samples.count)
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

    // MARK: - Header

    /// Kinds of cards that describe samples, or how they are stored.
    private static let dropped: Set<Int32> = [
        TYP_STRUC_KEY, TYP_CMPRS_KEY, TYP_SCAL_KEY, TYP_NULL_KEY, TYP_DIM_KEY, TYP_RANG_KEY, TYP_CKSUM_KEY,
    ]

    private func copy(_ card: String) throws(OutputError) {
        var text = Array(card.utf8CString)
        let kind = ffgkcl(&text)
        if Self.dropped.contains(kind) || kind == TYP_UNIT_KEY && image == .segmentation { return }
        if card.isEmpty || card == "END" { return }
        try call { handle, status in
            var failure: Int32 = 0
            ffpmrk()
            // A card that is none of FITS stays readable.
            if ffprec(handle, &text, &failure) != 0 {
                ffcmrk()
                ffpcom(handle, FITSMemoryFile.printable(card), status)
            }
        }
    }

    /// Changes the coordinates of an axis to those of pixels `scale` times as large.
    private func magnify(_ axis: Int, by scale: Int, _ header: FITSHeader) throws(OutputError) {
        var changes: [(String, Double)] = []
        if let value = header.number("CRPIX\(axis)") {
            changes.append(("CRPIX\(axis)", (value - 0.5) / Double(scale) + 0.5))
        }
        let matrix = (1...2).map { "CD\($0)_\(axis)" }.filter { header.number($0) != nil }
        for key in matrix.isEmpty ? ["CDELT\(axis)"] : matrix {
            if let value = header.number(key) { changes.append((key, value * Double(scale))) }
        }
        try call { handle, status in
            for (key, value) in changes { ffukyd(handle, key, value, -15, nil, status) }
        }
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
