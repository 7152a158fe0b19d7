/// The distortion look-up tables of a header (CPDISj and D2IMDISj of HST, AXISCORR), which are not applied.
package struct LookupTables {
    /// A table of shifts along an axis.
    package struct Table {
        var axis: Int
        /// EXTNAME and EXTVER of the table's HDU.
        package var name: String
        package var version: Int
        /// Maximum shift in pixels according to the header; nil if it is not stated.
        package var limit: Double?
    }

    private let tables: [Table]

    /// Maximum number of pixels of a table that is read to determine the missing shift.
    private static let maximumArea = 1 << 22

    /// Finds the tables of `header`; nil if it refers to none.
    package init?(_ header: FITSHeader) {
        let cards = header.valueCards
        func number(_ key: String) -> Double? {
            cards.lazy.compactMap { card -> Double? in
                guard card.keyword == key, case .number(let number, _) = card.value else { return nil }
                return number
            }.first
        }
        var tables: [Table] = []
        for (prefix, record, name) in [("CPDIS", "DP", "WCSDVARR"), ("D2IMDIS", "D2IM", "D2IMARR")] {
            for axis in 1...2 where header.text("\(prefix)\(axis)")?.lowercased() == "lookup" {
                let limit = number("\(prefix == "CPDIS" ? "CPERR" : "D2IMERR")\(axis)")
                let version = Self.record("EXTVER", of: "\(record)\(axis)", in: cards) ?? 1
                tables.append(Table(axis: axis, name: name, version: version, limit: limit.map(abs)))
            }
        }
        // The keyword used by HST before 2013.
        if let axis = number("AXISCORR") { tables.append(Table(axis: axis == 2 ? 2 : 1, name: "D2IMARR", version: 1)) }
        guard !tables.isEmpty else { return nil }
        self.tables = tables
    }

    /// Returns the value of a field in record-valued cards, such as `DP1 = 'EXTVER: 2.0'`.
    private static func record(_ field: String, of keyword: String, in cards: [HeaderCard]) -> Int? {
        for card in cards {
            if card.keyword == keyword, case .text(let text) = card.value, text.hasPrefix(field + ":") {
                return Double(text.dropFirst(field.count + 1).filter { $0 != " " }).flatMap { Int(exactly: $0) }
            }
        }
        return nil
    }

    /// Returns a note for the user on the maximum error of positions. Tables in the image's file are measured, unless
    /// `path` is nil because the file cannot be read here.
    package func note(file path: String?) -> String {
        let shifts = tables.map { table in path.flatMap { Self.greatestShift(of: table, in: $0) } ?? table.limit }
        let cause = "ra and dec lack the look-up tables of distortion (CPDIS, D2IM)"
        guard shifts.allSatisfy({ $0 != nil }) else {
            return "\(cause), by an amount that neither the header (CPERR, D2IMERR) nor a table in the file states"
        }
        var sums: [Int: Double] = [:]
        for (table, shift) in zip(tables, shifts) { sums[table.axis, default: 0] += shift ?? 0 }
        let most = sums.values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return "\(cause), which move positions by at most \((most * 1000).rounded(.up) / 1000) pixels"
    }

    /// Returns the maximum absolute value of a table, or nil if it is absent or too large.
    private static func greatestShift(of table: Table, in path: String) -> Double? {
        let place = ImageLocation(path: path, selector: .name(table.name, version: table.version))
        guard let image = try? FITSImage(place), image.width <= maximumArea / image.height else { return nil }
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        let isRead: Void? = pixels.withUnsafeMutableBufferPointer { try? image.read(rows: 0..<image.height, into: $0) }
        guard isRead != nil else { return nil }
        return pixels.reduce(0) { $1.isFinite ? max($0, Double(abs($1))) : $0 }
    }
}
