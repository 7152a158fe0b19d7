import SkyFITS

extension CatalogueTable {
    /// Concatenates the rows of `tables`, preceded by `labels`: columns that identify the origin of each row.
    ///
    /// A column that a table lacks, such as `ra` for an image without celestial coordinates, is NaN for its rows.
    /// Header entries are kept if they are equal in all tables.
    /// - Parameters:
    ///   - tables: the tables, in order.
    ///   - labels: names, descriptions and values of the additional columns, with one value per table.
    package init(joining tables: [CatalogueTable], labels: [Column]) {
        let counts = tables.map(\.rowCount)
        let leading = labels.map { label in
            var column = label
            column.values = label.values.repeated(counts)
            return column
        }
        let model = tables.max { $0.columns.count < $1.columns.count }
        let columns = (model?.columns ?? []).map { column in
            var joined = column
            joined.values = .joined(tables.map { $0[column.name]?.values }, counts, as: column.values)
            return joined
        }
        let common = (tables.first?.header ?? []).filter { entry in tables.allSatisfy { $0.header.contains(entry) } }
        self.init(columns: leading + columns, header: common, history: tables.flatMap(\.history))
    }

    /// Concatenates the tables of several images of a file, with columns `hdu` and `extname`, and `plane` if an image
    /// is a plane of a cube.
    package init(joiningExtensions tables: [CatalogueTable]) {
        let planes = tables.map { Int32($0.source?.plane ?? 0) }
        self.init(
            joining: tables,
            labels: [
                Column(
                    "hdu", description: "Number of the image's HDU, 0 is the primary",
                    .int32(tables.map { Int32($0.source?.number ?? 0) })),
                Column(
                    "extname", description: "EXTNAME of the image's HDU", .text(tables.map { $0.source?.name ?? "" })),
            ]
                + (planes.allSatisfy { $0 == 0 }
                    ? [] : [Column("plane", description: "Plane of the cube, 0 if it is none", .int32(planes))]))
    }
}

extension CatalogueTable.Values {
    /// Returns the values with value `index` repeated `counts[index]` times.
    fileprivate func repeated(_ counts: [Int]) -> Self {
        func spread<Value>(_ values: [Value]) -> [Value] {
            zip(values, counts).flatMap { Array(repeating: $0, count: $1) }
        }
        return switch self {
        case .int16(let values): .int16(spread(values))
        case .int32(let values): .int32(spread(values))
        case .int64(let values): .int64(spread(values))
        case .float(let values): .float(spread(values))
        case .double(let values): .double(spread(values))
        case .text(let values): .text(spread(values))
        case .array, .vector: preconditionFailure("labels are no arrays")
        }
    }

    /// Concatenates the values of `parts`. A part that is nil or has another type than `model` gets missing values.
    fileprivate static func joined(_ parts: [Self?], _ counts: [Int], as model: Self) -> Self {
        func join<Value>(_ none: Value, _ values: (Self) -> [Value]?) -> [Value] {
            zip(parts, counts).flatMap { part, count in part.flatMap(values) ?? Array(repeating: none, count: count) }
        }
        return switch model {
        case .int16: .int16(join(0) { if case .int16(let values) = $0 { values } else { nil } })
        case .int32: .int32(join(0) { if case .int32(let values) = $0 { values } else { nil } })
        case .int64: .int64(join(0) { if case .int64(let values) = $0 { values } else { nil } })
        case .float: .float(join(.nan) { if case .float(let values) = $0 { values } else { nil } })
        case .double: .double(join(.nan) { if case .double(let values) = $0 { values } else { nil } })
        case .text: .text(join("") { if case .text(let values) = $0 { values } else { nil } })
        case .array(_, let shape):
            .array(
                zip(parts, counts).flatMap { part, count in
                    if case .array(let values, shape) = part { return values }
                    return Array(repeating: Float.nan, count: count * shape.reduce(1, *))
                }, shape: shape)
        case .vector(_, let length):
            .vector(
                zip(parts, counts).flatMap { part, count in
                    if case .vector(let values, length) = part { return values }
                    return Array(repeating: .nan, count: count * length)
                }, length: length)
        }
    }
}
