import ScanBasics

/// Writes a table's sources as a DS9 region file: ellipses in image coordinates, which every viewer draws exactly.
///
/// Requires the columns `x_image` and `y_image` (1-based, as in DS9), `a`, `b` and `theta`; `number` labels a source.
/// The ellipses have three times the root-mean-square semi-axes, about the isophotal limit. A source without a shape
/// becomes a point, one without a position a comment. Numbers have no exponent, which some region parsers reject.
enum RegionWriter {
    /// Ratio of drawn axes to root-mean-square axes.
    private static let scale = 3.0

    static func write(_ table: CatalogueTable, name: String, to sink: ByteSink) throws(OutputError) {
        func column(_ key: String) throws(OutputError) -> CatalogueTable.Column {
            if let column = table[key] { return column }
            throw OutputError(.missingColumn, "\(name): a region file needs the column \(key); write .csv or .fits")
        }
        let (x, y) = (try column("x_image").values, try column("y_image").values)
        let (a, b, angle) = (try column("a").values, try column("b").values, try column("theta"))
        let toDegrees = angle.unit == "deg" ? 1 : 180 / Double.pi
        let number = table["number"]?.values
        var text =
            "# Region file format: DS9 version 4.1\n# Ellipses at \(Int(scale)) times the rms axes a and b\nimage\n"
        for row in 0..<table.rowCount {
            let label = number?.text(row) ?? "\(row + 1)"
            let position = [x.real(row), y.real(row)]
            let shape = [a.real(row) * scale, b.real(row) * scale, angle.values.real(row) * toDegrees]
            if !position.allSatisfy(\.isFinite) {
                text += "# source \(label) has no position\n"
            } else if shape.allSatisfy(\.isFinite), shape[0] > 0, shape[1] > 0 {
                text += "ellipse(\((position + shape).map { $0.fixed(6) }.joined(separator: ","))) # text={\(label)}\n"
            } else {
                text += "point(\(position.map { $0.fixed(6) }.joined(separator: ","))) # point=x text={\(label)}\n"
            }
        }
        try sink(Array(text.utf8))
    }
}
