/// The columns of a merged table: those of the widest table, with the units and descriptions of all tables.
struct MergedColumns {
    private var known: [[StoredCatalogue.Column]] = []
    private var units: [String: [String]] = [:]
    private var descriptions: [String: [String]] = [:]

    /// Adds the columns of a table.
    /// - Returns: the number of this set of columns.
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

    /// Returns the set of columns with a number.
    subscript(number: Int) -> [StoredCatalogue.Column] { known[number] }

    /// The columns of the merged table, which are those of the table with the most columns.
    var widest: [StoredCatalogue.Column] { known.max { $0.count < $1.count } ?? [] }

    /// Returns a column of the merged table. If tables have different units, the units are listed in the description.
    func described(_ column: StoredCatalogue.Column, _ values: CatalogueTable.Values) -> CatalogueTable.Column {
        let units = units[column.name] ?? []
        let text = Self.words(descriptions[column.name] ?? [])
        if units.count == 1 {
            return .init(column.name, unit: column.unit, description: text, values)
        }
        let names = Self.words(units.map { $0.isEmpty ? "none" : $0 })
        return .init(column.name, description: "\(text); unit by image: \(names)", values)
    }

    /// Joins texts; at most 4, since the images may have any number of units.
    private static func words(_ texts: [String]) -> String {
        texts.prefix(4).joined(separator: " or ") + (texts.count > 4 ? " or other" : "")
    }
}
