extension SourceTable {
    /// The name of a column and the key path of its values.
    package enum Column: @unchecked Sendable {
        // Sendable: key paths to stored properties hold no state, but the standard library does not declare them so.
        case int16(String, WritableKeyPath<SourceTable, [Int16]>)
        case int32(String, WritableKeyPath<SourceTable, [Int32]>)
        case float(String, WritableKeyPath<SourceTable, [Float]>)
        case double(String, WritableKeyPath<SourceTable, [Double]>)

        /// Name of the column.
        package var name: String {
            switch self {
            case .int16(let name, _), .int32(let name, _), .float(let name, _), .double(let name, _): name
            }
        }
    }

    /// SEP's columns, then those of the photometry.
    package static let columns: [Column] =
        [
            .float("thresh", \.thresh), .int32("npix", \.npix), .int32("tnpix", \.tnpix), .int32("xmin", \.xmin),
            .int32("xmax", \.xmax), .int32("ymin", \.ymin), .int32("ymax", \.ymax), .double("x", \.x),
            .double("y", \.y),
            .double("x2", \.x2), .double("y2", \.y2), .double("xy", \.xy), .double("errx2", \.errx2),
            .double("erry2", \.erry2), .double("errxy", \.errxy), .float("a", \.a), .float("b", \.b),
            .float("theta", \.theta), .float("cxx", \.cxx), .float("cyy", \.cyy), .float("cxy", \.cxy),
            .float("cflux", \.cflux), .float("flux", \.flux), .float("cpeak", \.cpeak), .float("peak", \.peak),
            .int32("xcpeak", \.xcpeak), .int32("ycpeak", \.ycpeak), .int32("xpeak", \.xpeak), .int32("ypeak", \.ypeak),
            .int16("flag", \.flag),
        ] + Photometry.columns.map(\.ofSource)

    /// The sources at `indices`, in that order.
    package func selecting(_ indices: [Int]) -> SourceTable {
        var result = SourceTable()
        for column in Self.columns {
            switch column {
            case .int16(_, let path): result[keyPath: path] = self[keyPath: path].selecting(indices)
            case .int32(_, let path): result[keyPath: path] = self[keyPath: path].selecting(indices)
            case .float(_, let path): result[keyPath: path] = self[keyPath: path].selecting(indices)
            case .double(_, let path): result[keyPath: path] = self[keyPath: path].selecting(indices)
            }
        }
        return result
    }

    /// Adds the sources of `other` at the end.
    package mutating func append(_ other: SourceTable) {
        for column in Self.columns {
            switch column {
            case .int16(_, let path): self[keyPath: path] += other[keyPath: path]
            case .int32(_, let path): self[keyPath: path] += other[keyPath: path]
            case .float(_, let path): self[keyPath: path] += other[keyPath: path]
            case .double(_, let path): self[keyPath: path] += other[keyPath: path]
            }
        }
    }

    /// True when every column has an element for every source, which decoding alone does not check.
    package var isRectangular: Bool {
        Self.columns.allSatisfy { column in
            switch column {
            case .int16(_, let path): self[keyPath: path].count == count
            case .int32(_, let path): self[keyPath: path].count == count
            case .float(_, let path): self[keyPath: path].count == count
            case .double(_, let path): self[keyPath: path].count == count
            }
        }
    }
}

extension Array {
    /// The elements at `indices`, in that order.
    package func selecting(_ indices: [Int]) -> [Element] { indices.map { self[$0] } }
}
