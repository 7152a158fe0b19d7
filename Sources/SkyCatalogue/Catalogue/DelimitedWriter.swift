import Foundation
package import ScanBasics
import SkyFITS

/// Writes a table as CSV, either plain or with astropy's ECSV header.
package enum DelimitedWriter {
    /// Number of rows per call of the sink: a few hundred kilobytes.
    private static let pieceRows = 1024

    package static func writeCSV(_ table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        let table = table.withoutArrays
        try sink(names(of: table))
        try writeRows(of: table, to: sink)
    }

    /// Returns the line of column names.
    package static func names(of table: CatalogueTable) -> [UInt8] {
        Array("\(table.columns.map(\.name).joined(separator: ","))\n".utf8)
    }

    /// Writes the rows, without the column names.
    ///
    /// Pieces are formatted on all processors: on one, a large catalogue takes a fifth of the time of its scan.
    static func writeRows(of table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        let batch = Self.pieceRows * ProcessInfo.processInfo.activeProcessorCount
        for first in stride(from: 0, to: table.rowCount, by: batch) {
            let rows = first..<min(first + batch, table.rowCount)
            for piece in pieces(of: rows, table) { try sink(piece) }
        }
        if table.rowCount == 0 { try sink([]) }
    }

    private typealias Field = @Sendable (_ row: Int, _ line: inout [UInt8]) -> Void

    /// Formats rows as lines, in pieces.
    private static func pieces(of rows: Range<Int>, _ table: CatalogueTable) -> [[UInt8]] {
        let parts = stride(from: rows.lowerBound, to: rows.upperBound, by: pieceRows).map {
            $0..<min($0 + pieceRows, rows.upperBound)
        }
        if parts.count == 1 { return [lines(parts[0], of: table)] }
        var pieces = [[UInt8]](repeating: [], count: parts.count)
        pieces.withUnsafeMutableBufferPointer { pieces in
            // Unsafe: each iteration writes its own element, and all have ended when the call returns.
            nonisolated(unsafe) let pieces = pieces
            DispatchQueue.concurrentPerform(iterations: parts.count) { index in
                pieces[index] = lines(parts[index], of: table)
            }
        }
        return pieces
    }

    private static func lines(_ rows: Range<Int>, of table: CatalogueTable) -> [UInt8] {
        let fields = table.columns.map { field(of: $0.values, rows) }
        var lines: [UInt8] = []
        lines.reserveCapacity(rows.count * fields.count * 10)
        for row in 0..<rows.count {
            for (index, field) in fields.enumerated() {
                if index > 0 { lines.append(UInt8(ascii: ",")) }
                field(row, &lines)
            }
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    /// Returns a function that appends the value of a row as a field. The values are copied, since processors would
    /// contend for the column's reference count.
    private static func field(of values: CatalogueTable.Values, _ rows: Range<Int>) -> Field {
        switch values {
        case .int16(let values): integers(values[rows])
        case .int32(let values): integers(values[rows])
        case .int64(let values): integers(values[rows])
        case .float(let values): reals(values[rows])
        case .double(let values): reals(values[rows])
        case .text(let values): { [values = Array(values[rows])] in append(quotedField(values[$0]), to: &$1) }
        case .array, .vector: { append(values.text(rows.lowerBound + $0), to: &$1) }
        }
    }

    private static func append(_ text: String, to line: inout [UInt8]) {
        var text = text
        text.withUTF8 { line.append(contentsOf: $0) }
    }

    private static func integers(_ values: ArraySlice<some BinaryInteger & Sendable>) -> Field {
        { [values = Array(values)] in append(values[$0].description, to: &$1) }
    }

    private static func reals(_ values: ArraySlice<some BinaryFloatingPoint & CustomStringConvertible & Sendable>)
        -> Field
    {
        { [values = Array(values)] in append(values[$0].isNaN ? "nan" : values[$0].description, to: &$1) }
    }

    /// Quotes text that is empty or contains a separator (RFC 4180).
    private static func quotedField(_ text: String) -> String {
        guard text.isEmpty || text.contains(where: { ",\"\r\n ".contains($0) }) else { return text }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    static func writeECSV(_ table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        let table = table.withoutArrays
        try sink(head(of: table))
        try writeCSV(table, to: sink)
    }

    /// Returns the YAML header of ECSV.
    package static func head(of table: CatalogueTable) -> [UInt8] {
        var lines = ["%ECSV 1.0", "---", "delimiter: ','", "datatype:"]
        lines += table.columns.map { column in
            let unit = column.unit.map { ", unit: \(quoted($0))" } ?? ""
            return "- {name: \(quoted(column.name))\(unit), datatype: \(column.values.datatype), "
                + "description: \(quoted(column.description))}"
        }
        if !table.header.isEmpty || !table.history.isEmpty {
            lines.append("meta: !!omap")
            lines += table.header.map { "- \(quoted($0.key)): \(scalar($0.value))" + comment($0.comment) }
            if !table.history.isEmpty { lines.append("- HISTORY:") }
            lines += table.history.map { "  - \(quoted($0))" }
        }
        lines.append("schema: astropy-2.0")
        return Array(lines.map { "# \($0)\n" }.joined().utf8)
    }

    private static func scalar(_ value: HeaderEntry.Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .integer(let value): value.description
        case .real(let value) where value.isNaN: ".nan"
        case .real(let value) where value.isInfinite: value < 0 ? "-.inf" : ".inf"
        // YAML reads a number with an exponent as text unless its mantissa has a decimal point.
        case .real(let value): Self.real(value)
        case .logical(let value): value ? "true" : "false"
        }
    }

    private static func real(_ value: Double) -> String {
        let text = value.description
        guard let exponent = text.firstIndex(of: "e"), !text[..<exponent].contains(".") else { return text }
        return "\(text[..<exponent]).0\(text[exponent...])"
    }

    private static func comment(_ text: String) -> String {
        text.isEmpty ? "" : "  # " + String(String.UnicodeScalarView(text.unicodeScalars.map { $0 < " " ? " " : $0 }))
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{20}"..."\u{7e}", "\u{a0}"..."\u{d7ff}": result.unicodeScalars.append(scalar)
            default: result += "\\U" + scalar.value.hexadecimal
            }
        }
        return result + "\""
    }
}

extension CatalogueTable.Values {
    /// Name of the type in ECSV.
    fileprivate var datatype: String {
        switch self {
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .float: "float32"
        case .double: "float64"
        case .text: "string"
        case .array: "float32"
        case .vector: "float64"
        }
    }
}
