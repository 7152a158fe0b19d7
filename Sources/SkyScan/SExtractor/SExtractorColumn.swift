/// A column of a catalogue with SExtractor's name, and the function that derives its values.
public struct SExtractorColumn: Sendable {
    /// Type of the values in a FITS table.
    package enum Kind: Sendable {
        case int16, int32, float, double
    }

    /// SExtractor's name, such as `MAG_AUTO`.
    public let name: String
    package let kind: Kind
    /// Unit in SExtractor's notation; empty if dimensionless.
    public let unit: String
    /// TDISP format of a value written as text.
    package let display: String
    /// Description of the column, as in SExtractor.
    public let comment: String
    /// Returns one array of values per component; none for a cut-out, whose samples are stored separately.
    package let values: @Sendable (borrowing SExtractorContext) -> [[Double]]

    /// All supported columns, in the order of their groups.
    public static let all = general + fluxes + positions + shapes + pointSpread

    package static func named(_ name: String) -> SExtractorColumn? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Returns the columns that `fill` adds.
    package static func table(_ fill: (inout [SExtractorColumn]) -> Void) -> [SExtractorColumn] {
        var columns: [SExtractorColumn] = []
        fill(&columns)
        return columns
    }

    /// Whether the column needs windowed measurements.
    package var isWindowed: Bool { name.contains("WIN_") || name.hasSuffix("_WIN") }

    /// Whether the column may have several elements per source.
    var isVector: Bool {
        ["FLUX_APER", "FLUXERR_APER", "MAG_APER", "MAGERR_APER", "FLUX_RADIUS", "VECTOR_ASSOC"].contains(name)
    }

    /// Whether the column needs Petrosian measurements.
    var isPetrosian: Bool { name.contains("PETRO") }

    /// Whether the column needs a fit of the point spread function.
    var isFitted: Bool { name.contains("PSF_") || name.hasSuffix("_PSF") || needsSpread }

    /// Whether the column needs the comparison with a disc.
    package var needsSpread: Bool { name.hasPrefix("SPREAD") }

    /// Whether the column needs a list of associated positions.
    var isAssociated: Bool { name.hasSuffix("_ASSOC") }

    /// Whether the column needs a flag image.
    var needsFlagImage: Bool { name.hasSuffix("IMAFLAGS_ISO") }
}

extension [SExtractorColumn] {
    mutating func add(
        _ name: String, _ kind: SExtractorColumn.Kind, _ unit: String, _ display: String, _ comment: String,
        _ values: @escaping @Sendable (borrowing SExtractorContext) -> [[Double]]
    ) {
        append(
            SExtractorColumn(
                name: name, kind: kind, unit: unit, display: display, comment: comment, values: values))
    }
}
