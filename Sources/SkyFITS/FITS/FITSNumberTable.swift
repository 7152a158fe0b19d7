internal import CFITSIO

/// Numeric columns of a table in a FITS file.
package struct FITSNumberTable {
    /// Names of all columns of the table.
    package let names: [String]
    /// The values of the chosen columns; NaN where a value is missing.
    package let columns: [[Double]]

    /// Maximum number of rows.
    private static let mostRows = 100_000_000

    /// Reads the first table in which `choose` finds columns; nil if there is none.
    /// - Parameters:
    ///   - path: the file.
    ///   - choose: returns the indices of the columns to read, given the names of all columns, or nil to skip the
    ///     table.
    /// - Throws: ``ImageError`` if the file cannot be read, or a chosen column is not numeric.
    package init?(path: String, choose: ([String]) -> [Int]?) throws(ImageError) {
        let file = try FITSFile(path: path)
        let found = try FITSLibrary.run { () throws(ImageError) -> FITSNumberTable? in
            var number = 1
            while let hdu = try file.move(to: number) {
                number += 1
                switch hdu.content {
                case .image, .empty: continue
                case .asciiTable, .binaryTable: break
                }
                let count = min(max(0, file.integer("TFIELDS") ?? 0), 999)
                let names = count == 0 ? [] : (1...count).map { file.text("TTYPE\($0)") ?? "" }
                guard let chosen = choose(names) else { continue }
                let rows = max(0, file.integer("NAXIS2") ?? 0)
                guard rows <= Self.mostRows else {
                    throw ImageError(.tooLarge, "\(path): the table has \(rows) rows, more than \(Self.mostRows)")
                }
                var columns: [[Double]] = []
                for index in chosen { columns.append(try Self.values(of: file, column: index, rows)) }
                return FITSNumberTable(names: names, columns: columns)
            }
            return nil
        }
        guard let found else { return nil }
        self = found
    }

    private init(names: [String], columns: [[Double]]) { (self.names, self.columns) = (names, columns) }

    private static func values(of file: FITSFile, column: Int, _ rows: Int) throws(ImageError) -> [Double] {
        var values = [Double](repeating: .nan, count: rows)
        if rows == 0 { return values }
        var (anyNull, status): (Int32, Int32) = (0, 0)
        ffgcvd(file.handle, Int32(column + 1), 1, 1, Int64(rows), .nan, &values, &anyNull, &status)
        guard status == 0 else {
            throw ImageError(
                .corrupt, "\(file.path): column \(column + 1) has no numbers: \(FITSLibrary.words(for: status))")
        }
        return values
    }
}
