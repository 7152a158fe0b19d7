extension CatalogueTable {
    /// The table with a separate column for each element of an array: `NAME`, `NAME_1`, `NAME_2`, as astropy names the
    /// vectors of SExtractor's text catalogues.
    var withoutArrays: CatalogueTable {
        guard columns.contains(where: { $0.values.length != nil }) else { return self }
        var flat: [Column] = []
        for column in columns {
            for place in 0..<(column.values.length ?? 1) {
                var part = column
                if place > 0 { part.name += "_\(place)" }
                part.values = column.values.elements(at: place)
                flat.append(part)
            }
        }
        var table = CatalogueTable(columns: flat, header: header, history: history)
        (table.source, table.image, table.field) = (source, image, field)
        return table
    }
}

extension CatalogueTable.Values {
    /// Returns the element at `place` of each row's array, or the column itself if it has single values.
    fileprivate func elements(at place: Int) -> Self {
        func every<Value>(_ values: [Value]) -> [Value] {
            stride(from: place, to: values.count, by: length ?? 1).map { values[$0] }
        }
        return switch self {
        case .array(let values, _): .float(every(values))
        case .vector(let values, _): .double(every(values))
        default: self
        }
    }
}
