package import ScanBasics

/// The file format of a catalogue, selected by the extension of the file's name.
public enum CatalogueFormat: String, CaseIterable, Sendable {
    /// A FITS binary table.
    case fits
    /// Comma-separated values, with the column names in the first line.
    case csv
    /// astropy's ECSV 1.0: CSV with a YAML header for types, units and descriptions.
    case ecsv
    /// Ellipses for the DS9 viewer, in image coordinates.
    case reg
    /// SExtractor's FITS_LDAC: FITS tables with the image's header and its sources.
    case ldac
    /// SExtractor's ASCII_HEAD: text with one comment line per column.
    case asciiHead = "cat"
    /// A VOTable 1.3 with its rows as text.
    case votable = "vot"
    /// SExtractor's ASCII: text without comments. No file extension selects it.
    case ascii = "ASCII"
    /// SExtractor's ASCII_SKYCAT: text for the skycat viewer. No file extension selects it.
    case skycat = "ASCII_SKYCAT"
    /// SExtractor's FITS_1.0: a FITS table OBJECTS. No file extension selects it.
    case objects = "FITS_1.0"

    /// Returns the format of a file called `path`, or nil if the extension is unknown. `.gz` may follow the extension,
    /// except after `.reg`, since DS9 does not read compressed regions.
    public init?(path: String) {
        guard let name = path.split(separator: "/").last else { return nil }
        let isCompressed = Self.isCompressed(path)
        let plain = isCompressed ? name.dropLast(".gz".count) : name
        guard let dot = plain.lastIndex(of: ".") else { return nil }
        let ending = plain[plain.index(after: dot)...].lowercased()
        self.init(rawValue: ending == "fit" ? "fits" : ending)
        if isCompressed, self == .reg { return nil }
    }

    /// Whether a file called `path` is compressed with gzip.
    package static func isCompressed(_ path: String) -> Bool { path.lowercased().hasSuffix(".gz") }

    /// The known extensions as text for messages.
    package static let endings = ".fits, .fit, .csv or .ecsv, each also with .gz, .reg, .ldac, .cat or .vot"
}

/// Receives the bytes of a catalogue in pieces.
package typealias ByteSink = ([UInt8]) throws(OutputError) -> Void

extension CatalogueFormat {
    /// Writes `tables`, of which there must be at least one. Equal tables give equal bytes. Error messages contain
    /// `name`.
    package func write(_ tables: [CatalogueTable], name: String, to sink: ByteSink) throws(OutputError) {
        // SExtractor's formats have their own columns for the image, so no labels are added.
        let isPlain = [.asciiHead, .ascii, .skycat, .votable].contains(self)
        let table =
            tables.count == 1
            ? tables[0]
            : isPlain ? CatalogueTable(joining: tables, labels: []) : CatalogueTable(joiningExtensions: tables)
        switch self {
        case .fits: try FITSTableWriter.write(tables, name: name, to: sink)
        case .csv: try DelimitedWriter.writeCSV(table, to: sink)
        case .ecsv: try DelimitedWriter.writeECSV(table, to: sink)
        case .reg: try RegionWriter.write(table, name: name, to: sink)
        case .ldac: try FITSTableWriter.write(tables, .ldac, name: name, to: sink)
        case .objects: try FITSTableWriter.write(tables, .objects, name: name, to: sink)
        case .asciiHead: try ColumnTextWriter.write(table, .head, to: sink)
        case .ascii: try ColumnTextWriter.write(table, .plain, to: sink)
        case .skycat: try ColumnTextWriter.write(table, .skycat, to: sink)
        case .votable: try VOTableWriter.write(table, to: sink)
        }
    }

    /// Writes a merged table, reading its rows in pieces. Equal catalogues give equal bytes.
    /// - Throws: ``OutputError``; the errors of ``MergedCatalogue/forEachPiece(_:)``.
    package func write(_ merged: MergedCatalogue, name: String, to sink: ByteSink) throws {
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
        case .ldac, .asciiHead, .votable, .ascii, .skycat, .objects:
            throw OutputError(.unknownFormat, "\(name): not a format of merged tables; use .fits, .csv or .ecsv")
        }
    }
}
