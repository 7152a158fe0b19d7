extension CatalogueTable {
    /// The table with a column for each element of an array: `NAME`, `NAME_1`, `NAME_2`, as astropy reads the vectors of
    /// SExtractor's text catalogues.
    var withoutArrays: CatalogueTable {
        guard columns.contains(where: { if case .array = $0.values { true } else { false } }) else { return self }
        var flat: [Column] = []
        for column in columns {
            guard case .array(let values, let shape) = column.values else {
                flat.append(column)
                continue
            }
            let length = shape.reduce(1, *)
            for place in 0..<length {
                var part = column
                if place > 0 { part.name += "_\(place)" }
                part.values = .float(stride(from: place, to: values.count, by: length).map { values[$0] })
                flat.append(part)
            }
        }
        var table = CatalogueTable(columns: flat, header: header, history: history)
        (table.source, table.field) = (source, field)
        return table
    }
}
