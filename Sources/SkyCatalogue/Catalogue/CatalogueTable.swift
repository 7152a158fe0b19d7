import SkyExtraction
public import SkyFITS

/// A table of named, typed columns with units and descriptions, and header entries: the input of the catalogue writers.
///
/// The writers accept any set of columns, except that a region file requires some. A table of an image also carries its
/// place in the file (``source``), and the image's header (``field``) for formats that contain it.
public struct CatalogueTable: Hashable, Sendable {
    /// The values of one column, one per row.
    public enum Values: Hashable, Sendable {
        /// 16-bit integers.
        case int16([Int16])
        /// 32-bit integers.
        case int32([Int32])
        /// 64-bit integers.
        case int64([Int64])
        /// Single-precision floats; NaN for missing values.
        case float([Float])
        /// Double-precision floats; NaN for missing values.
        case double([Double])
        /// Text; empty for missing values.
        case text([String])
        /// Single-precision arrays with these axes, the fastest first, stored row after row.
        case array([Float], shape: [Int])
        /// Double-precision vectors of this length, stored row after row.
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

    /// A column of a table.
    public struct Column: Hashable, Sendable {
        /// Name of the column: letters, digits and `_`.
        public var name: String
        /// Unit in FITS notation, as astropy parses it, such as `pix`, `deg` or `pix-2`; nil if dimensionless.
        public var unit: String?
        /// Description of the values for the file's header.
        public var description: String
        /// One value or array per row.
        public var values: Values
        /// Format of a value as text, a FITS TDISP such as `F11.4`; nil to write values exactly.
        public var display: String?

        /// Creates a column without a text format.
        public init(_ name: String, unit: String? = nil, description: String, _ values: Values) {
            self.name = name
            self.unit = unit
            self.description = description
            self.values = values
        }
    }

    /// The columns, all of the same length.
    public let columns: [Column]
    /// The HDU of the image, in a catalogue of several images of one file; nil otherwise.
    public var source: ImageExtension?
    /// The image of the sources, for the names of outputs; nil if unknown.
    package var image: ImageExtension?
    /// The header of the image, for formats that contain it.
    public var field: FieldHeader?
    /// Whether the table stands for an image that could not be scanned. Only formats that identify tables by position
    /// contain it.
    public var isPlaceholder = false
    /// Entries of the header, in order.
    public var header: [HeaderEntry]
    /// HISTORY lines of the header.
    public var history: [String]

    /// Creates a table from `columns`, which must have equal lengths and distinct names.
    public init(columns: [Column], header: [HeaderEntry] = [], history: [String] = []) {
        precondition(Set(columns.map(\.values.count)).count <= 1, "columns must have equal lengths")
        precondition(Set(columns.map(\.name)).count == columns.count, "columns must have different names")
        self.columns = columns
        self.header = header
        self.history = history
    }

    /// Returns a table with the same columns and no rows, for an image that could not be scanned.
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

    /// Number of rows; 0 without columns.
    public var rowCount: Int { columns.first?.values.count ?? 0 }

    /// Returns the column with a name, or nil if there is none.
    public subscript(name: String) -> Column? { columns.first { $0.name == name } }
}

extension CatalogueTable.Values {
    /// Formats the value at `row` with the fewest characters that are parsed as the same bits; `nan` for NaN, `inf` for
    /// infinity.
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

    /// Number of elements of each row; nil if the column has single values.
    package var length: Int? {
        switch self {
        case .array(_, let shape): shape.reduce(1, *)
        case .vector(_, let length): length
        default: nil
        }
    }

    /// Returns the range of the elements of a row in the values.
    private func elements(_ row: Int) -> Range<Int> {
        let length = length ?? 1
        return row * length..<(row + 1) * length
    }

    /// Returns the elements of a row of an array column, or none for other columns.
    func reals(_ row: Int) -> [Double] {
        switch self {
        case .array(let values, _): values[elements(row)].map(Double.init)
        case .vector(let values, _): Array(values[elements(row)])
        default: []
        }
    }

    /// Returns the values of the given rows, in that order.
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
