internal import CFITSIO
import Foundation
package import ScanBasics
package import SkyFITS

/// Writes tables as FITS binary tables, one per extension.
///
/// TTYPEn, TUNITn and TCOMMn contain names, units and descriptions; the same header contains the header entries and the
/// history.
package enum FITSTableWriter {
    /// Number of bytes per call of the sink.
    private static let pieceLength = 1 << 18
    /// Number of rows per call of CFITSIO.
    private static let groupRows = 1024

    package static func write(
        _ tables: [CatalogueTable], _ layout: Layout = .plain, name: String, to sink: ByteSink
    ) throws(OutputError) {
        let byteCount = tables.reduce(0) { $0 + $1.rowCount * $1.rowLength }
        guard let memory = FITSMemoryFile(expecting: byteCount) else {
            throw OutputError(.failed, "\(name): not enough memory")
        }
        if layout != .plain { memory.makeEmptyImage() }
        for table in tables { append(table, layout, to: memory) }
        let failure = try memory.finish { bytes throws(OutputError) in
            for start in stride(from: 0, to: bytes.count, by: pieceLength) {
                try sink(Array(bytes[start..<min(start + pieceLength, bytes.count)]))
            }
        }
        if let failure { throw OutputError(.failed, "\(name): the table cannot be made: \(failure)") }
    }

    /// The way in which tables are stored.
    package enum Layout {
        /// One named table per image.
        case plain
        /// FITS_1.0: tables named OBJECTS.
        case objects
        /// FITS_LDAC: two tables per image, one with the cards of its header and one with the sources.
        case ldac
    }

    /// Appends a table to the file.
    package static func append(_ table: CatalogueTable, _ layout: Layout = .plain, to memory: FITSMemoryFile) {
        if layout == .ldac { appendField(of: table, to: memory) }
        create(table, layout, in: memory)
        if let source = table.source, source.name != nil {
            memory.write(HeaderEntry("EXTVER", .integer(source.version), comment: "That of the image"))
        }
        for (index, column) in table.columns.enumerated() {
            memory.write(HeaderEntry("TCOMM\(index + 1)", .text(column.description)))
            if let display = column.display {
                memory.write(HeaderEntry("TDISP\(index + 1)", .text(display)))
            }
            if case .array(_, let shape) = column.values, shape.count > 1 {
                let axes = shape.map(String.init).joined(separator: ",")
                memory.write(HeaderEntry("TDIM\(index + 1)", .text("(\(axes))")))
            }
        }
        table.header.forEach(memory.write)
        memory.write(history: table.history)
        writeRows(of: table, to: memory)
    }

    private static func create(_ table: CatalogueTable, _ layout: Layout, in memory: FITSMemoryFile) {
        let names = CStrings(table.columns.map { FITSMemoryFile.printable($0.name) })
        let forms = CStrings(table.columns.map(\.values.form))
        let units = CStrings(table.columns.map { FITSMemoryFile.printable($0.unit ?? "") })
        let title =
            switch layout {
            case .plain: FITSMemoryFile.printable(table.source?.name ?? "CATALOGUE")
            case .objects: "OBJECTS"
            case .ldac: "LDAC_OBJECTS"
            }
        memory.call { handle, status in
            ffcrtb(
                handle, BINARY_TBL, Int64(table.rowCount), Int32(table.columns.count), &names.pointers, &forms.pointers,
                &units.pointers, title, status)
        }
        withExtendedLifetime((names, forms, units)) {}
    }

    /// Appends the table with a single row that contains the cards of the image's header.
    private static func appendField(of table: CatalogueTable, to memory: FITSMemoryFile) {
        let cards = table.field?.cards() ?? FITSHeader(cards: []).bytes
        let (names, forms, units) = (CStrings(["Field Header Card"]), CStrings(["\(cards.count)A"]), CStrings([""]))
        memory.call { handle, status in
            ffcrtb(
                handle, BINARY_TBL, 1, 1, &names.pointers, &forms.pointers, &units.pointers, "LDAC_IMHEAD", status)
            ffpkys(handle, "TDIM1", "(80, \(cards.count / FITSHeader.cardLength))", nil, status)
        }
        withExtendedLifetime((names, forms, units)) {}
        var bytes = cards
        memory.call { handle, status in ffptbb(handle, 1, 1, Int64(cards.count), &bytes, status) }
    }

    /// Writes whole rows, because CFITSIO would otherwise access each row once per column.
    private static func writeRows(of table: CatalogueTable, to memory: FITSMemoryFile) {
        let sizes = table.columns.map(\.values.elementSize)
        let stride = table.rowLength
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: groupRows * stride, alignment: 8)
        defer { bytes.deallocate() }
        for start in Swift.stride(from: 0, to: table.rowCount, by: groupRows) {
            let rows = start..<min(start + groupRows, table.rowCount)
            store(rows, of: table, sizes, in: bytes)
            memory.call { handle, status in
                ffptbb(
                    handle, Int64(start + 1), 1, Int64(rows.count * stride),
                    bytes.assumingMemoryBound(to: UInt8.self).baseAddress, status)
            }
        }
    }

    /// Stores consecutive rows, each with a field of `sizes` bytes per column.
    static func store(
        _ rows: Range<Int>, of table: CatalogueTable, _ sizes: [Int], in bytes: UnsafeMutableRawBufferPointer
    ) {
        let stride = sizes.reduce(0, +)
        var offset = 0
        for (column, size) in zip(table.columns, sizes) {
            column.values.store(rows, in: bytes, at: offset, size: size, stride: stride)
            offset += size
        }
    }
}

extension CatalogueTable {
    fileprivate var rowLength: Int { columns.reduce(0) { $0 + $1.values.elementSize } }
}

extension CatalogueTable.Values {
    /// TFORM of the column.
    fileprivate var form: String {
        switch self {
        case .int16: "1I"
        case .int32: "1J"
        case .int64: "1K"
        case .float: "1E"
        case .double: "1D"
        case .text: "\(elementSize)A"
        case .array(_, let shape): "\(shape.reduce(1, *))E"
        case .vector(_, let length): "\(length)D"
        }
    }

    /// Size of a value in bytes; for text, of the longest one.
    var elementSize: Int {
        switch self {
        case .int16: 2
        case .int32, .float: 4
        case .int64, .double: 8
        case .text(let values): max(1, values.map(\.utf8.count).max() ?? 1)
        case .array(_, let shape): 4 * shape.reduce(1, *)
        case .vector(_, let length): 8 * length
        }
    }

    /// Stores the values of `rows` in big-endian FITS byte order, at `offset` and every `stride` bytes after it. Text
    /// fills `size` bytes.
    fileprivate func store(
        _ rows: Range<Int>, in bytes: UnsafeMutableRawBufferPointer, at offset: Int, size: Int, stride: Int
    ) {
        func put<Value, Word: FixedWidthInteger>(_ values: [Value], _ word: (Value) -> Word) {
            var place = offset
            for value in values[rows] {
                bytes.storeBytes(of: word(value).bigEndian, toByteOffset: place, as: Word.self)
                place += stride
            }
        }
        func putArrays<Value, Word: FixedWidthInteger>(_ values: [Value], _ length: Int, _ word: (Value) -> Word) {
            for (index, row) in rows.enumerated() {
                for element in 0..<length {
                    bytes.storeBytes(
                        of: word(values[row * length + element]).bigEndian,
                        toByteOffset: offset + index * stride + MemoryLayout<Word>.size * element, as: Word.self)
                }
            }
        }
        switch self {
        case .int16(let values): put(values) { $0 }
        case .int32(let values): put(values) { $0 }
        case .int64(let values): put(values) { $0 }
        // Processors give different signs to a NaN.
        case .float(let values): put(values) { ($0.isNaN ? .nan : $0).bitPattern }
        case .double(let values): put(values) { ($0.isNaN ? .nan : $0).bitPattern }
        case .array(let values, let shape):
            putArrays(values, shape.reduce(1, *)) { ($0.isNaN ? .nan : $0).bitPattern }
        case .vector(let values, let length): putArrays(values, length) { ($0.isNaN ? .nan : $0).bitPattern }
        case .text(let values):
            for (index, value) in values[rows].enumerated() {
                // Text ends at its first zero byte; some readers keep trailing spaces.
                let text = Array(FITSMemoryFile.printable(value).utf8)
                let padding = [UInt8](repeating: 0, count: size - text.count)
                let place = offset + index * stride
                UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + size]).copyBytes(
                    from: text + padding)
            }
        }
    }
}

/// An array of writable C strings, as required by CFITSIO.
private final class CStrings {
    var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } }

    deinit { pointers.forEach { free($0) } }
}
