import SkyFITS

/// A single table with the rows of many FITS catalogues, which are read from their files in pieces.
///
/// The columns `image` and `hdu` identify the origin of a row, and those of ``StoredExposure`` say when it was exposed. A column that an image lacks, such as `ra` without
/// celestial coordinates, is NaN for its rows. The header contains the entries that are equal in all catalogues. The
/// initialiser reads the headers only; ``forEachPiece(_:)`` reads the rows.
package struct MergedCatalogue {
    /// The catalogue of a file with images.
    package struct Part: Sendable {
        package let image: String
        package let path: String

        /// Creates a part from the names of two files.
        /// - Parameters:
        ///   - image: the image file, for the column `image`.
        ///   - path: its FITS catalogue.
        package init(image: String, path: String) { (self.image, self.path) = (image, path) }
    }

    /// A table in a part.
    private struct Source: Hashable {
        var image: Int
        var exposure: StoredExposure
        var rowCount: Int
        /// Number of its set of columns in ``MergedColumns``.
        var columns: Int
    }

    private let parts: [Part]
    private let history: [String]
    private var sources: [[Source]] = []
    private var columns = MergedColumns()
    private var header: [HeaderEntry] = []

    /// Prefixes of the entries about one image, which are excluded from the merged header even if they are equal in all
    /// catalogues.
    private static let keysOfImage = ["IMAGE", "IMG", "MASKED", "BACKGR", "NOISERMS", "REMOVED"]

    /// Number of rows that are read at a time.
    private static let pieceRows = 8192

    /// Merges `parts` in this order. Reads their headers.
    /// - Parameters:
    ///   - parts: the catalogues.
    ///   - history: HISTORY lines for the header.
    /// - Throws: ``ImageError`` if a catalogue cannot be read, `CancellationError`.
    package init(_ parts: [Part], history: [String]) throws {
        (self.parts, self.history) = (parts, history)
        var known: [[UInt8]: Int] = [:]
        var common: [ArraySlice<UInt8>]?
        for part in parts {
            try Task.checkCancellation()
            sources.append([])
            let catalogue = try StoredCatalogue(path: part.path)
            try FITSLibrary.run {
                while let table = try catalogue.next() {
                    let key = table.header.columnCards
                    let number = try known[key] ?? columns.add(try catalogue.columns())
                    known[key] = number
                    sources[sources.count - 1].append(
                        Source(
                            image: table.image, exposure: table.exposure, rowCount: table.rowCount,
                            columns: number))
                    common = table.header.common(with: common)
                }
                if sources.last?.isEmpty == true { throw catalogue.strange }
            }
        }
        header = StoredHeader.entries(of: common ?? []).filter { entry in
            !Self.keysOfImage.contains { entry.key.hasPrefix($0) }
        }
    }

    package var rowCount: Int { sources.reduce(0) { $0 + $1.reduce(0) { $0 + $1.rowCount } } }

    /// A table with the columns and the header, and one row with the longest text.
    package var model: CatalogueTable {
        let longest = parts.map(\.image).max { $0.utf8.count < $1.utf8.count } ?? ""
        var exposure = StoredExposure()
        for source in sources.joined() {
            if source.exposure.date.utf8.count > exposure.date.utf8.count { exposure.date = source.exposure.date }
            if source.exposure.filter.utf8.count > exposure.filter.utf8.count {
                exposure.filter = source.exposure.filter
            }
        }
        return CatalogueTable(
            columns: labels(longest, 0, exposure, count: 1)
                + columns.widest.map { columns.described($0, $0.type.none(count: 1)) },
            header: header, history: history)
    }

    /// Passes the rows to `body`, in the order of the parts, their tables and their rows.
    /// - Throws: ``ImageError`` if a catalogue cannot be read or has changed, `CancellationError`, errors of `body`.
    func forEachPiece(_ body: (CatalogueTable) throws -> Void) throws {
        let wanted = columns.widest
        for (part, tables) in zip(parts, sources) {
            try Task.checkCancellation()
            let catalogue = try StoredCatalogue(path: part.path)
            for source in tables {
                let table = try FITSLibrary.run { () throws(ImageError) in try catalogue.next() }
                guard let table, table.rowCount == source.rowCount, table.image == source.image else {
                    throw ImageError(.unreadable, "\(part.path): was changed while it was read; run the command again")
                }
                let places = wanted.map { column in
                    columns[source.columns].first { $0.name == column.name && $0.type == column.type }
                }
                for start in stride(from: 0, to: table.rowCount, by: Self.pieceRows) {
                    let rows = start..<min(start + Self.pieceRows, table.rowCount)
                    let bytes = try FITSLibrary.run { () throws(ImageError) in
                        try catalogue.bytes(of: rows, in: table)
                    }
                    let values = zip(wanted, places).map { column, place in
                        place?.type.values(in: bytes, offset: place?.offset ?? 0, rowLength: table.rowLength)
                            ?? column.type.none(count: rows.count)
                    }
                    try body(
                        CatalogueTable(
                            columns: labels(part.image, source.image, source.exposure, count: rows.count)
                                + zip(wanted, values).map { .init($0.name, description: "", $1) }))
                }
            }
        }
    }

    /// Returns the columns that identify the origin of rows.
    private func labels(
        _ image: String, _ hdu: Int, _ exposure: StoredExposure, count: Int
    ) -> [CatalogueTable.Column] {
        [
            .init("image", description: "File of the image", .text(Array(repeating: image, count: count))),
            .init(
                "hdu", description: "Number of the image's HDU, 0 is the primary",
                .int32(Array(repeating: Int32(truncatingIfNeeded: hdu), count: count))),
        ] + exposure.columns(count: count)
    }
}

extension StoredHeader {
    /// Returns the cards that are also in `others`, or all cards if `others` is nil.
    fileprivate func common(with others: [ArraySlice<UInt8>]?) -> [ArraySlice<UInt8>] {
        guard let others else { return cards }
        let own = Set(cards)
        return others.filter(own.contains)
    }
}
