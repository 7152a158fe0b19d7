import Foundation
import ScanBasics

/// Writes a table in columns of fixed width, like SExtractor's ASCII, ASCII_HEAD and ASCII_SKYCAT.
enum ColumnTextWriter {
    private static let pieceLength = 1 << 18

    /// The header and separators of the text.
    enum Style {
        /// No header; one comment line per column; the header of the skycat viewer, with tabs between values.
        case plain, head, skycat
    }

    static func write(_ table: CatalogueTable, _ style: Style, to sink: ByteSink) throws(OutputError) {
        var piece: [UInt8] = []
        switch style {
        case .plain: break
        case .head: piece += head(of: table).utf8
        case .skycat: piece += skycatHead(of: table).utf8
        }
        let separator = style == .skycat ? " \t" : " "
        let formats = table.columns.map { $0.display.flatMap(TextFormat.init) }
        for row in 0..<table.rowCount {
            for (index, column) in table.columns.enumerated() {
                if index > 0 { piece += separator.utf8 }
                piece += text(column, formats[index], row, separator).utf8
            }
            piece.append(UInt8(ascii: "\n"))
            if piece.count >= pieceLength {
                try sink(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        if style == .skycat { piece += "[EOD]".utf8 }
        try sink(piece)
    }

    /// Returns the header for skycat. Like SExtractor, assumes that the first four columns are number, coordinates and
    /// magnitude.
    private static func skycatHead(of table: CatalogueTable) -> String {
        let names = ["id", "ra", "dec", "mag"] + table.columns.dropFirst(4).map(\.name)
        return """
            QueryResult

            # Config entry for original catalog server:
            serv_type: catalog
            long_name: SExtractor catalog
            short_name: SExCat
            symbol: id diamond  8.0
            # End config entry

            \(names.joined(separator: "\t"))
            ------------------

            """
    }

    /// Returns one line per column with its number, name, comment and unit. A vector advances the number by its length.
    private static func head(of table: CatalogueTable) -> String {
        var (text, number) = ("", 1)
        for column in table.columns {
            let unit = column.unit.map { " [\($0)]" } ?? ""
            let name = column.name.padding(toLength: max(22, column.name.count), withPad: " ", startingAt: 0)
            let comment = column.description.padding(
                toLength: max(58, column.description.count), withPad: " ", startingAt: 0)
            let place = String(repeating: " ", count: max(0, 3 - "\(number)".count)) + "\(number)"
            text += "# \(place) \(name) \(comment)\(unit)\n"
            number += column.values.length ?? 1
        }
        return text
    }

    private static func text(_ column: CatalogueTable.Column, _ format: TextFormat?, _ row: Int, _ separator: String)
        -> String
    {
        guard let format else { return column.values.text(row) }
        guard column.values.length != nil else { return format.text(column.values.real(row)) }
        return column.values.reals(row).map(format.text).joined(separator: separator)
    }
}

/// Formats numbers as text according to a FITS TDISP.
package struct TextFormat {
    private let format: String
    private let isInteger: Bool

    /// Parses a TDISP such as `I10`, `F11.4`, `E18.10` or `G12.7`; nil for others.
    package init?(_ display: String) {
        guard let letter = display.first, let kind = ["I": "lld", "F": "f", "E": "e", "G": "g"][letter],
            display.dropFirst().allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
        else { return nil }
        format = "%\(display.dropFirst())\(kind)"
        isInteger = letter == "I"
    }

    package func text(_ value: Double) -> String {
        isInteger
            ? String(format: format, Int64(exactly: value.rounded()) ?? 0) : value.formatted(as: format)
    }
}
