/// The file format of a catalogue, chosen by the extension of the file's name.
public enum CatalogueFormat: String, CaseIterable, Sendable {
    /// A FITS binary table.
    case fits
    /// Comma-separated values under one line of column names.
    case csv
    /// astropy's ECSV 1.0: CSV below a YAML header with types, units and descriptions.
    case ecsv
    /// Ellipses for the DS9 viewer, in image coordinates.
    case reg

    /// The format of a file called `path`; nil if the extension is unknown. `.gz` may follow it, except after `.reg`,
    /// since DS9 reads no compressed regions.
    public init?(path: String) {
        guard let name = path.split(separator: "/").last else { return nil }
        let isCompressed = Self.isCompressed(path)
        let plain = isCompressed ? name.dropLast(".gz".count) : name
        guard let dot = plain.lastIndex(of: ".") else { return nil }
        let ending = plain[plain.index(after: dot)...].lowercased()
        self.init(rawValue: ending == "fit" ? "fits" : ending)
        if isCompressed, self == .reg { return nil }
    }

    /// Whether a file called `path` is compressed by gzip.
    static func isCompressed(_ path: String) -> Bool { path.lowercased().hasSuffix(".gz") }

    /// The known extensions in words.
    static let endings = ".fits, .fit, .csv or .ecsv, each also with .gz, .reg"
}

/// Receives the bytes of a catalogue, piece by piece.
typealias ByteSink = ([UInt8]) throws(OutputError) -> Void

extension CatalogueFormat {
    /// Writes `tables`, of which there is at least one; the same tables give the same bytes. `name` appears in error
    /// messages.
    func write(_ tables: [CatalogueTable], name: String, to sink: ByteSink) throws(OutputError) {
        let table = tables.count == 1 ? tables[0] : CatalogueTable(joiningExtensions: tables)
        switch self {
        case .fits: try FITSTableWriter.write(tables, name: name, to: sink)
        case .csv: try DelimitedWriter.writeCSV(table, to: sink)
        case .ecsv: try DelimitedWriter.writeECSV(table, to: sink)
        case .reg: try RegionWriter.write(table, name: name, to: sink)
        }
    }

    /// Writes a merged table, a piece of its rows at a time; the same catalogues give the same bytes.
    /// - Throws: ``OutputError``; what ``MergedCatalogue/forEachPiece(_:)`` throws.
    func write(_ merged: MergedCatalogue, name: String, to sink: ByteSink) throws {
        let model = merged.model
        switch self {
        case .fits:
            let stream = try FITSTableStream(model: model, rowCount: merged.rowCount, name: name)
            try sink(stream.header)
            try merged.forEachPiece { try sink(stream.bytes(of: $0)) }
            try sink(stream.padding)
        case .csv, .ecsv:
            if self == .ecsv { try sink(DelimitedWriter.head(of: model)) }
            try sink(DelimitedWriter.names(of: model))
            try merged.forEachPiece { try DelimitedWriter.writeRows(of: $0, to: sink) }
        case .reg:
            throw OutputError(.unknownFormat, "\(name): regions are those of one image; use .fits, .csv or .ecsv")
        }
    }
}
