import ScanCluster

/// A table with aligned columns: text on the left, numbers on the right.
package struct TextTable: Sendable {
    private var rows: [[String]]
    private let texts: Set<String>

    /// Creates a table with column headers. The first column and those in `texts` contain text.
    package init(_ header: String..., texts: Set<String> = []) { self.init(header, texts: texts) }

    package init(_ header: [String], texts: Set<String>) {
        rows = [header]
        self.texts = texts.union(header.prefix(1))
    }

    package mutating func add(_ cells: String...) { add(cells) }

    /// Appends a row. Control characters in cells are replaced, since names may come from peers.
    package mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

    /// The table with one line per row, without trailing spaces.
    package var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let padded = cells.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - cells[column].count)
                return texts.contains(rows[0][column]) ? cells[column] + padding : padding + cells[column]
            }
            return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
