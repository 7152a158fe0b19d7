/// Rows as aligned columns: the first begins at the left, the others end at the right.
struct TextTable: Sendable {
    private var rows: [[String]]

    init(_ header: String...) { rows = [header] }

    /// Adds a row with as many cells as the header.
    mutating func add(_ cells: String...) { rows.append(cells) }

    /// One line for each row.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }
            return padded.joined(separator: "  ") + "\n"
        }.joined()
    }
}
