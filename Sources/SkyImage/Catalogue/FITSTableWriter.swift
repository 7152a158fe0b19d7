internal import CFITSIO
import Foundation

/// Writes a table as a FITS binary table in the first extension.
///
/// TTYPEn, TUNITn and TCOMMn carry names, units and descriptions; the header entries and the history stand in the
/// same header.
enum FITSTableWriter {
    static func write(_ table: CatalogueTable, name: String, to sink: ByteSink) throws(OutputError) {
        guard let memory = FITSMemoryFile() else { throw OutputError(.failed, "\(name): not enough memory") }
        create(table, in: memory)
        for (index, column) in table.columns.enumerated() {
            let comment = HeaderEntry("TCOMM\(index + 1)", .text(column.description))
            memory.write(comment)
        }
        table.header.forEach(memory.write)
        memory.write(history: table.history)
        writeRows(of: table, to: memory)
        let failure = try memory.finish { bytes throws(OutputError) in try sink(Array(bytes)) }
        if let failure { throw OutputError(.failed, "\(name): the table cannot be made: \(failure)") }
    }

    private static func create(_ table: CatalogueTable, in memory: FITSMemoryFile) {
        let names = CStrings(table.columns.map { FITSMemoryFile.printable($0.name) })
        let forms = CStrings(table.columns.map(\.values.form))
        let units = CStrings(table.columns.map { FITSMemoryFile.printable($0.unit ?? "") })
        memory.call { handle, status in
            ffcrtb(
                handle, BINARY_TBL, Int64(table.rowCount), Int32(table.columns.count), &names.pointers, &forms.pointers,
                &units.pointers, "CATALOGUE", status)
        }
        withExtendedLifetime((names, forms, units)) {}
    }

    /// Writes in groups of rows that fit CFITSIO's buffers, so that each part of the file is touched once.
    private static func writeRows(of table: CatalogueTable, to memory: FITSMemoryFile) {
        var group = 1
        memory.call { handle, status in ffgrsz(handle, &group, status) }
        for start in stride(from: 0, to: table.rowCount, by: max(group, 1)) {
            let rows = start..<min(start + max(group, 1), table.rowCount)
            for (index, column) in table.columns.enumerated() {
                memory.call { handle, status in
                    column.values.write(rows, to: handle, column: Int32(index + 1), status)
                }
            }
        }
    }
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
        }
    }

    fileprivate func write(
        _ rows: Range<Int>, to handle: UnsafeMutablePointer<fitsfile>, column: Int32,
        _ status: UnsafeMutablePointer<Int32>
    ) {
        let (first, count) = (Int64(rows.lowerBound + 1), Int64(rows.count))
        switch self {
        case .int16(let values):
            var part = Array(values[rows])
            ffpcli(handle, column, first, 1, count, &part, status)
        case .int32(let values):
            var part = Array(values[rows])
            ffpclk(handle, column, first, 1, count, &part, status)
        case .int64(let values):
            var part = Array(values[rows])
            ffpcljj(handle, column, first, 1, count, &part, status)
        case .float(let values):
            var part = Array(values[rows])
            ffpcle(handle, column, first, 1, count, &part, status)
        case .double(let values):
            var part = Array(values[rows])
            ffpcld(handle, column, first, 1, count, &part, status)
        }
    }
}

/// Strings for C, which wants them as an array of writable pointers.
private final class CStrings {
    var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } }

    deinit { pointers.forEach { free($0) } }
}
