import ScanBasics
import SkyFITS

/// Writes a table as a VOTable 1.3 with its rows as text.
enum VOTableWriter {
    private static let pieceLength = 1 << 18

    static func write(_ table: CatalogueTable, to sink: ByteSink) throws(OutputError) {
        var head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">
            <RESOURCE>
            <TABLE name="Source_List">

            """
        for entry in table.header { head += parameter(entry) }
        for column in table.columns { head += field(column) }
        var piece = Array((head + "<DATA><TABLEDATA>\n").utf8)
        for row in 0..<table.rowCount {
            piece += "<TR>".utf8
            for column in table.columns { piece += "<TD>\(escaped(cell(column.values, row)))</TD>".utf8 }
            piece += "</TR>\n".utf8
            if piece.count >= pieceLength {
                try sink(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        try sink(piece + Array("</TABLEDATA></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n".utf8))
    }

    private static func cell(_ values: CatalogueTable.Values, _ row: Int) -> String {
        // The VOTable standard has its own name for infinity.
        let text = values.text(row)
        return text == "nan" ? "NaN" : text == "inf" ? "+Inf" : text == "-inf" ? "-Inf" : text
    }

    private static func parameter(_ entry: HeaderEntry) -> String {
        let (type, value): (String, String) =
            switch entry.value {
            case .text(let text): ("char\" arraysize=\"*", text)
            case .integer(let number): ("long", "\(number)")
            case .real(let number): ("double", number.isNaN ? "NaN" : "\(number)")
            case .logical(let isTrue): ("boolean", isTrue ? "true" : "false")
            }
        return "<PARAM name=\"\(escaped(entry.key))\" datatype=\"\(type)\" value=\"\(escaped(value))\"/>\n"
    }

    private static func field(_ column: CatalogueTable.Column) -> String {
        let unit = column.unit.map { " unit=\"\(escaped($0))\"" } ?? ""
        return "<FIELD name=\"\(escaped(column.name))\" datatype=\"\(column.values.type)\"\(unit)>"
            + "<DESCRIPTION>\(escaped(column.description))</DESCRIPTION></FIELD>\n"
    }

    private static func escaped(_ text: String) -> String { text.escapedForXML(["\"": "&quot;"]) }
}

extension CatalogueTable.Values {
    /// The data type in a VOTable, followed by the array size as a further attribute.
    fileprivate var type: String {
        switch self {
        case .int16: "short"
        case .int32: "int"
        case .int64: "long"
        case .float: "float"
        case .double: "double"
        case .text: "char\" arraysize=\"*"
        case .array(_, let shape): "float\" arraysize=\"\(shape.map(String.init).joined(separator: "x"))"
        case .vector(_, let length): "double\" arraysize=\"\(length)"
        }
    }
}
