internal import CFITSIO
import SkyFITS

/// A FITS catalogue on disk whose tables are read one after the other.
///
/// All functions must be called inside ``FITSLibrary/run(_:)``.
final class StoredCatalogue {
    /// A column of a table: numbers of one type, at a fixed offset in each row.
    struct Column: Hashable {
        var name: String
        var unit: String?
        var description: String
        var type: StoredNumber
        /// Byte offset within a row.
        var offset: Int
    }

    /// The table at which the file is positioned.
    struct Table {
        /// Number of the image's HDU.
        var image: Int
        var exposure: StoredExposure
        var rowCount: Int
        /// Length of a row in bytes.
        var rowLength: Int
        var header: StoredHeader
    }

    private let file: FITSFile
    private var number = 0

    init(path: String) throws(ImageError) { file = try FITSFile(path: path) }

    /// Moves to the next table.
    /// - Returns: the table, or nil if there is none.
    /// - Throws: ``ImageError`` if the file is damaged or is not a catalogue.
    func next() throws(ImageError) -> Table? {
        while true {
            number += 1
            guard let hdu = try file.move(to: number) else { return nil }
            guard case .binaryTable = hdu.content else { continue }
            guard let image = file.integer("IMGHDU"), let rowCount = file.integer("NAXIS2"),
                let rowLength = file.integer("NAXIS1"), let header = StoredHeader(of: file.handle)
            else { throw strange }
            return Table(
                image: image, exposure: StoredExposure(of: file), rowCount: rowCount, rowLength: rowLength,
                header: header)
        }
    }

    /// Returns the columns of the current table.
    /// - Throws: ``ImageError`` if a column is not numeric.
    func columns() throws(ImageError) -> [Column] {
        var columns: [Column] = []
        var offset = 0
        for index in 1...max(1, file.integer("TFIELDS") ?? 0) {
            guard let name = longText("TTYPE\(index)"), let type = StoredNumber(form: longText("TFORM\(index)") ?? "")
            else { throw strange }
            columns.append(
                Column(
                    name: name, unit: longText("TUNIT\(index)"), description: longText("TCOMM\(index)") ?? "",
                    type: type, offset: offset))
            offset += type.size
        }
        guard offset == file.integer("NAXIS1") else { throw strange }
        return columns
    }

    /// Returns the bytes of rows of the current table.
    /// - Throws: ``ImageError`` if the rows cannot be read.
    func bytes(of rows: Range<Int>, in table: Table) throws(ImageError) -> [UInt8] {
        var status: Int32 = 0
        let length = rows.count * table.rowLength
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            ffgtbb(file.handle, Int64(rows.lowerBound + 1), 1, Int64(length), buffer.baseAddress, &status)
            count = length
        }
        guard status == 0 else {
            throw ImageError(.unreadable, "\(file.path): cannot be read: \(FITSLibrary.words(for: status))")
        }
        return bytes
    }

    private func longText(_ key: String) -> String? {
        var (text, status): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        ffgkls(file.handle, key, &text, nil, &status)
        guard status == 0, let text else { return nil }
        defer { fffree(text, &status) }
        let value = String(cString: text)
        return value.isEmpty ? nil : value
    }

    /// The error for a file that is not a catalogue written by Skyfarm, or is truncated.
    var strange: ImageError {
        ImageError(
            .corrupt, "\(file.path): is no catalogue of skyfarm, or is damaged; scan its image again, with --overwrite")
    }
}
