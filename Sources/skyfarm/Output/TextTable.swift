/// Rows as aligned columns: those of text begin at the left, those of numbers end at the right.
struct TextTable: Sendable {
    private var rows: [[String]]
    private let texts: Set<String>

    /// A table with these heads of columns. The first is of text, and so are those that `texts` names.
    init(_ header: String..., texts: Set<String> = []) {
        rows = [header]
        self.texts = texts.union(header.prefix(1))
    }

    /// Adds a row with as many cells as the header.
    mutating func add(_ cells: String...) { rows.append(cells) }

    /// One line for each row, without blanks at its end.
    var text: String {
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
