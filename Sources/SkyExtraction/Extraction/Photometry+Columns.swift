extension Photometry {
    /// A column by name, with the place of its values.
    package enum Column: @unchecked Sendable {
        // Sendable: as ``SourceTable/Column``.
        case flag(String, WritableKeyPath<Photometry, [Int16]>)
        case value(String, WritableKeyPath<Photometry, [Double]>)

        /// The same column of a table of sources.
        var ofSource: SourceTable.Column {
            let photometry: WritableKeyPath<SourceTable, Photometry> = \.photometry
            return switch self {
            case .flag(let name, let path): .int16(name, photometry.appending(path: path))
            case .value(let name, let path): .double(name, photometry.appending(path: path))
            }
        }
    }

    /// All columns, in the order of the catalogue.
    package static let columns: [Column] = [
        .value("kron_radius", \.kronRadius), .flag("kron_flag", \.kronFlag), .value("flux_auto", \.fluxAuto),
        .value("fluxerr_auto", \.fluxErrAuto), .flag("flag_auto", \.flagAuto), .value("flux_aper", \.fluxAper),
        .value("fluxerr_aper", \.fluxErrAper), .flag("flag_aper", \.flagAper), .value("flux_radius", \.fluxRadius),
    ]

    /// Photometry of `count` sources, each with this flag and without a number.
    package init(unmeasured count: Int, flag: Int16) {
        for column in Self.columns {
            switch column {
            case .flag(_, let path): self[keyPath: path] = Array(repeating: flag, count: count)
            case .value(_, let path): self[keyPath: path] = Array(repeating: .nan, count: count)
            }
        }
    }

    /// Whether every column has `count` elements.
    func isRectangular(count: Int) -> Bool {
        Self.columns.allSatisfy { column in
            switch column {
            case .flag(_, let path): self[keyPath: path].count == count
            case .value(_, let path): self[keyPath: path].count == count
            }
        }
    }

    /// Replaces the source at `index` by that at `position` of `other`.
    package mutating func copy(from other: Photometry, _ position: Int, to index: Int) {
        for column in Self.columns {
            switch column {
            case .flag(_, let path): self[keyPath: path][index] = other[keyPath: path][position]
            case .value(_, let path): self[keyPath: path][index] = other[keyPath: path][position]
            }
        }
    }
}
