import Foundation
public import SkyCatalogue

/// A catalogue's sources for a page: consecutive typed columns in little-endian order, which a browser reads in place.
/// About 60 bytes per source.
public struct SourcePack: Encodable, Sendable {
    /// The layout and meaning of a column.
    public struct Column: Encodable, Equatable, Sendable {
        /// Name of the column in the catalogue.
        public var name: String
        /// Name of the browser's array type, such as `Float32Array`.
        public var type: String
        /// Offset of the first byte; a multiple of the size of an element.
        public var offset: Int
        /// Factor of a stored value: value = stored value * scale + ``zero``.
        public var scale: Double
        /// The value that is stored as 0.
        public var zero: Double
        /// Unit of the value; nil if it has none.
        public var unit: String?
        /// Description of the column for users.
        public var meaning: String
    }

    /// Number of sources in the catalogue.
    public let total: Int
    /// Number of sources in the pack: all, or the brightest by `flux_auto`.
    public let count: Int
    /// Layout of the columns, in the order of their bytes.
    public private(set) var columns: [Column] = []
    /// The bytes of all columns, in base64.
    public private(set) var base64 = ""

    /// Maximum number of sources in a report: keeps the page below 15 MB with its picture.
    public static let limit = 150_000
    /// Maximum number of sources in a live page: 4 MB for each browser.
    public static let liveLimit = 50_000

    /// Packs the columns that a page shows.
    public init(_ table: CatalogueTable, limit: Int = limit) {
        total = table.rowCount
        let rows = Self.brightest(of: table, limit: limit)
        count = rows.count
        var bytes = Data()
        for name in ["x", "y", "a", "b", "theta", "kron_radius", "flux_auto", "fluxerr_auto", "peak", "flux_radius"] {
            add(table[name], "Float32Array", rows, to: &bytes) { Float($0).bitPattern }
        }
        // A unit of 1e-7 degrees is 0.4 mas. Relative to 180 degrees, right ascension fits in 32 bits.
        for (name, zero) in [("ra", 180.0), ("dec", 0)] {
            add(table[name], "Int32Array", rows, scale: 1e-7, zero: zero, to: &bytes) { degrees in
                degrees.isFinite ? Int32(((degrees - zero) * 1e7).rounded()) : Int32.min
            }
        }
        for name in ["number", "npix"] { add(table[name], "Int32Array", rows, to: &bytes) { Int32($0) } }
        addFlags(of: table, rows, to: &bytes)
        base64 = bytes.base64EncodedString()
    }

    private static func brightest(of table: CatalogueTable, limit: Int) -> [Int] {
        guard table.rowCount > limit, let flux = table["flux_auto"]?.values else { return Array(0..<table.rowCount) }
        let fluxes = (0..<table.rowCount).map { row in
            let value = flux.real(row)
            return value.isNaN ? -Double.infinity : value
        }
        return fluxes.indices.sorted { (fluxes[$0], $1) > (fluxes[$1], $0) }.prefix(limit).sorted()
    }

    private mutating func add<Element: FixedWidthInteger>(
        _ column: CatalogueTable.Column?, _ type: String, _ rows: [Int], scale: Double = 1, zero: Double = 0,
        to bytes: inout Data, _ convert: (Double) -> Element
    ) {
        guard let column else { return }
        columns.append(
            Column(
                name: column.name, type: type, offset: bytes.count, scale: scale, zero: zero, unit: column.unit,
                meaning: column.description))
        Self.append(rows.map { convert(column.values.real($0)) }, to: &bytes)
    }

    /// Combines the flags of detection and photometry, whose bits do not overlap.
    private mutating func addFlags(of table: CatalogueTable, _ rows: [Int], to bytes: inout Data) {
        let flags = ["flag", "flag_kron", "flag_auto"].compactMap { table[$0] }
        // Each description ends with a list such as "16 cut, 32 masked".
        var bits: [Substring] = []
        for words in flags.flatMap({ ($0.description.split(separator: ": ").last ?? "").split(separator: ", ") })
        where !bits.contains(words) { bits.append(words) }
        columns.append(
            Column(
                name: "flags", type: "Uint16Array", offset: bytes.count, scale: 1, zero: 0,
                meaning: "Bits of \(flags.map(\.name).joined(separator: " and ")): \(bits.joined(separator: ", "))"))
        Self.append(
            rows.map { row in flags.reduce(0) { $0 | UInt16(truncatingIfNeeded: Int($1.values.real(row))) } },
            to: &bytes)
    }

    private static func append<Element: FixedWidthInteger>(_ values: [Element], to bytes: inout Data) {
        values.map(\.littleEndian).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
}
