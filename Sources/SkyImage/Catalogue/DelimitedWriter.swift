internal import ScanBasics

/// Writes a table as CSV, either plain or with astropy's ECSV header.
enum DelimitedWriter {
    /// Bytes buffered before they go to the sink.
    private static let pieceLength = 1 << 18

    static func writeCSV(_ table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        let table = table.withoutArrays
        try sink(names(of: table))
        try writeRows(of: table, to: sink)
    }

    /// The line of column names.
    static func names(of table: CatalogueTable) -> [UInt8] {
        Array("\(table.columns.map(\.name).joined(separator: ","))\n".utf8)
    }

    /// Writes the rows, without the names of the columns.
    static func writeRows(of table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        var piece: [UInt8] = []
        for row in 0..<table.rowCount {
            for (index, column) in table.columns.enumerated() {
                if index > 0 { piece.append(UInt8(ascii: ",")) }
                piece += field(column.values, row).utf8
            }
            piece.append(UInt8(ascii: "\n"))
            if piece.count >= pieceLength {
                try sink(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        try sink(piece)
    }

    /// A value as a field: text that holds a separator is quoted (RFC 4180).
    private static func field(_ values: CatalogueTable.Values, _ row: Int) -> String {
        let text = values.text(row)
        guard case .text = values, text.isEmpty || text.contains(where: { ",\"\r\n ".contains($0) }) else {
            return text
        }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    static func writeECSV(_ table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        let table = table.withoutArrays
        try sink(head(of: table))
        try writeCSV(table, to: sink)
    }

    /// The YAML header of ECSV.
    static func head(of table: CatalogueTable) -> [UInt8] {
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
        // YAML reads a number with an exponent as text, unless its mantissa has a decimal point.
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
