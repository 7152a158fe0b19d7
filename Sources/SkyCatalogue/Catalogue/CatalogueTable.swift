import SkyExtraction
public import SkyFITS

/// A table of named, typed columns with units and descriptions, and header entries: the input of the catalogue writers.
///
/// The writers accept any set of columns, except that a region file needs some.
public struct CatalogueTable: Hashable, Sendable {
    /// The values of one column, one per row.
    public enum Values: Hashable, Sendable {
        /// 16-bit integers.
        case int16([Int16])
        /// 32-bit integers.
        case int32([Int32])
        /// 64-bit integers.
        case int64([Int64])
        /// Single-precision floats; NaN where there is no value.
        case float([Float])
        /// Double-precision floats; NaN where there is no value.
        case double([Double])
        /// Text.
        case text([String])
        /// Single-precision arrays of these axes, the fastest first, row after row.
        case array([Float], shape: [Int])
        /// Double-precision vectors of this length, row after row.
        case vector([Double], length: Int)

        /// Number of rows.
        public var count: Int {
            switch self {
            case .int16(let values): values.count
            case .int32(let values): values.count
            case .int64(let values): values.count
            case .float(let values): values.count
            case .double(let values): values.count
            case .text(let values): values.count
            case .array(let values, let shape): values.count / max(1, shape.reduce(1, *))
            case .vector(let values, let length): values.count / max(1, length)
            }
        }
    }

    /// One column.
    public struct Column: Hashable, Sendable {
        /// Letters, digits and `_`.
        public var name: String
        /// Unit in the FITS standard's notation, as astropy parses it, such as `pix`, `deg` or `pix-2`; nil if
        /// dimensionless.
        public var unit: String?
        /// Description of the values.
        public var description: String
        /// The values.
        public var values: Values
        /// How a value is written as text: a TDISP of FITS such as `F11.4`; nil: exactly.
        public var display: String?

        /// A column.
        public init(_ name: String, unit: String? = nil, description: String, _ values: Values) {
            self.name = name
            self.unit = unit
            self.description = description
            self.values = values
        }
    }

    /// The columns, all of the same length.
    public let columns: [Column]
    /// The HDU whose sources these are, in a catalogue of several images of one file; nil in others.
    public var source: ImageExtension?
    /// The image whose sources these are, for the names of outputs; nil in others.
    package var image: ImageExtension?
    /// The header of the image, for formats that hold it.
    public var field: FieldHeader?
    /// Whether it stands for an image that could not be scanned; only formats whose tables have places hold it.
    public var isPlaceholder = false
    /// Entries for the header, in order.
    public var header: [HeaderEntry]
    /// Lines of history for the header.
    public var history: [String]

    /// A table of `columns`, which must have equal lengths and different names.
    public init(columns: [Column], header: [HeaderEntry] = [], history: [String] = []) {
        precondition(Set(columns.map(\.values.count)).count <= 1, "columns must have equal lengths")
        precondition(Set(columns.map(\.name)).count == columns.count, "columns must have different names")
        self.columns = columns
        self.header = header
        self.history = history
    }

    /// A table of the same columns without rows, in place of that of an image that could not be scanned.
    package func placeholder(for image: ImageExtension, header: FITSHeader) -> CatalogueTable {
        var table = CatalogueTable(
            columns: columns.map { column in
                var column = column
                column.values = column.values.selecting([])
                return column
            }, header: self.header, history: history)
        (table.source, table.image, table.isPlaceholder) = (image, image, true)
        table.field = field.map { _ in FieldHeader(image: header, entries: []) }
        return table
    }

    /// Number of rows.
    public var rowCount: Int { columns.first?.values.count ?? 0 }

    /// The column of this name.
    public subscript(name: String) -> Column? { columns.first { $0.name == name } }
}

extension CatalogueTable.Values {
    /// Value `row` in the fewest characters that parse back to the same bits; `nan` for NaN, `inf` for infinity.
    package func text(_ row: Int) -> String {
        switch self {
        case .int16(let values): values[row].description
        case .int32(let values): values[row].description
        case .int64(let values): values[row].description
        case .float(let values): values[row].isNaN ? "nan" : values[row].description
        case .double(let values): values[row].isNaN ? "nan" : values[row].description
        case .text(let values): values[row]
        case .array(let values, _): Self.text(values[elements(row)])
        case .vector(let values, _): Self.text(values[elements(row)])
        }
    }

    private static func text<Value: BinaryFloatingPoint & CustomStringConvertible>(_ values: ArraySlice<Value>)
        -> String
    {
        values.map { $0.isNaN ? "nan" : $0.description }.joined(separator: " ")
    }

    /// The number of elements of each row; nil if the column has single values.
    package var length: Int? {
        switch self {
        case .array(_, let shape): shape.reduce(1, *)
        case .vector(_, let length): length
        default: nil
        }
    }

    /// The places of the elements of row `row` in the values.
    private func elements(_ row: Int) -> Range<Int> {
        let length = length ?? 1
        return row * length..<(row + 1) * length
    }

    /// The elements of row `row` of a column of arrays; none for other columns.
    func reals(_ row: Int) -> [Double] {
        switch self {
        case .array(let values, _): values[elements(row)].map(Double.init)
        case .vector(let values, _): Array(values[elements(row)])
        default: []
        }
    }

    /// The values of some rows, in that order.
    package func selecting(_ rows: [Int]) -> Self {
        func elements<Value>(_ values: [Value]) -> [Value] { rows.flatMap { values[self.elements($0)] } }
        return switch self {
        case .int16(let values): .int16(values.selecting(rows))
        case .int32(let values): .int32(values.selecting(rows))
        case .int64(let values): .int64(values.selecting(rows))
        case .float(let values): .float(values.selecting(rows))
        case .double(let values): .double(values.selecting(rows))
        case .text(let values): .text(values.selecting(rows))
        case .array(let values, let shape): .array(elements(values), shape: shape)
        case .vector(let values, let length): .vector(elements(values), length: length)
        }
    }

    package func real(_ row: Int) -> Double {
        switch self {
        case .int16(let values): Double(values[row])
        case .int32(let values): Double(values[row])
        case .int64(let values): Double(values[row])
        case .float(let values): Double(values[row])
        case .double(let values): values[row]
        case .text, .array, .vector: .nan
        }
    }
}
