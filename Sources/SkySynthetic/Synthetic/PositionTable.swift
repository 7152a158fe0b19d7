extension Completeness.Position {
    /// A reason why a table of positions cannot be read.
    public struct TableError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The cause and the line number, in one line.
        public var description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Reads the columns `x`, `y` and, if present, `snr` of comma-separated values. The first line that is not a `#`
    /// comment has the column names.
    /// - Throws: ``TableError`` if a column is missing or a value is not a finite number.
    public static func read(csv text: String) throws(TableError) -> [Completeness.Position] {
        var columns: (x: Int, y: Int, signalToNoise: Int?)?
        var positions: [Completeness.Position] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard let columns else {
                guard let x = fields.firstIndex(of: "x"), let y = fields.firstIndex(of: "y") else {
                    throw TableError(description: "line \(index + 1): expected a header with the columns x and y")
                }
                columns = (x, y, fields.firstIndex(of: "snr"))
                continue
            }
            func number(_ column: Int) -> Double? {
                guard column < fields.count, let value = Double(fields[column]), value.isFinite else { return nil }
                return value
            }
            guard let x = number(columns.x), let y = number(columns.y) else {
                throw TableError(description: "line \(index + 1): x and y must be finite numbers")
            }
            let signalToNoise = columns.signalToNoise.flatMap(number) ?? 0
            positions.append(Completeness.Position(x: x, y: y, signalToNoise: signalToNoise))
        }
        guard columns != nil else { throw TableError(description: "expected a header with the columns x and y") }
        return positions
    }
}
