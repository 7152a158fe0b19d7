/// The columns of a table that is merged from others: those of the widest one, and what the others say about them.
struct MergedColumns {
    private var known: [[StoredCatalogue.Column]] = []
    private var units: [String: [String]] = [:]
    private var descriptions: [String: [String]] = [:]

    /// Adds the columns of a table.
    /// - Returns: their number among the different columns of all tables.
    mutating func add(_ columns: [StoredCatalogue.Column]) -> Int {
        for column in columns {
            let unit = column.unit ?? ""
            if units[column.name]?.contains(unit) != true { units[column.name, default: []].append(unit) }
            if descriptions[column.name]?.contains(column.description) != true {
                descriptions[column.name, default: []].append(column.description)
            }
        }
        known.append(columns)
        return known.count - 1
    }

    /// The columns that were added with this number.
    subscript(number: Int) -> [StoredCatalogue.Column] { known[number] }

    /// The columns of the merged table, of the table that has the most.
    var widest: [StoredCatalogue.Column] { known.max { $0.count < $1.count } ?? [] }

    /// A column of the merged table. A unit that is not the same in all tables is in the description.
    func described(_ column: StoredCatalogue.Column, _ values: CatalogueTable.Values) -> CatalogueTable.Column {
        let units = units[column.name] ?? []
        let text = Self.words(descriptions[column.name] ?? [])
        if units.count == 1 {
            return .init(column.name, unit: column.unit, description: text, values)
        }
        let names = Self.words(units.map { $0.isEmpty ? "none" : $0 })
        return .init(column.name, description: "\(text); unit by image: \(names)", values)
    }

    /// Texts one after the other: at most 4, since a night may have any number of units.
    private static func words(_ texts: [String]) -> String {
        texts.prefix(4).joined(separator: " or ") + (texts.count > 4 ? " or other" : "")
    }
}
