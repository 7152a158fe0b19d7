internal import Foundation
package import SkyExtraction

/// The catalogue of an SEP run over a whole image, read from CSV.
package struct ReferenceCatalog {
    package var columns: [String: [String]] = [:]
    package var count = 0
    /// Whether it is one of the stored files, which were made without a minimum size of the ellipse of `flux_auto`.
    private let isStored: Bool

    // Names that differ in the reference files.
    private static let names = [
        "flux_aper": "flux_aper_r5", "fluxerr_aper": "fluxerr_aper_r5", "flag_aper": "flag_aper_r5",
        "flux_radius": "flux_radius_50",
    ]

    package init(contentsOf path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        isStored = text.hasPrefix("# sep ")
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let names = lines[0].split(separator: ",").map(String.init)
        var rows = Array(repeating: [String](), count: names.count)
        for line in lines.dropFirst() {
            for (index, word) in line.split(separator: ",").enumerated() { rows[index].append(String(word)) }
        }
        for (name, values) in zip(names, rows) { columns[name] = values }
        count = lines.count - 1
    }

    /// At most five differences from `table`, in words.
    package func differences(to table: SourceTable) -> [String] {
        if table.count != count { return ["\(table.count) sources instead of \(count)"] }
        var found: [String] = []
        for column in SourceTable.columns {
            guard let words = columns[Self.names[column.name] ?? column.name] else { return ["no \(column.name)"] }
            for (index, word) in words.enumerated() where found.count < 5 && !isOutdated(column, index) {
                if let value = difference(column, table, index, word) {
                    found.append("\(column.name)[\(index)] is \(value) instead of \(word)")
                }
            }
        }
        return found
    }

    /// At most five differences from a catalogue in the same form, in words.
    package func differences(to other: ReferenceCatalog) -> [String] {
        var found: [String] = []
        for column in SourceTable.columns {
            // Skyfarm's catalogue names this flag like the others.
            let name = column.name == "kron_flag" ? "flag_kron" : column.name
            guard let own = columns[name], let others = other.columns[Self.names[column.name] ?? column.name]
            else { return ["no \(column.name)"] }
            for (index, (word, reference)) in zip(own, others).enumerated()
            where found.count < 5 && !other.isOutdated(column, index) {
                if !column.isEqual(word, reference) {
                    found.append("\(column.name)[\(index)] is \(word) instead of \(reference)")
                }
            }
        }
        return found
    }

    /// Whether the minimum size of the ellipse of `flux_auto` changes this value.
    private func isOutdated(_ column: SourceTable.Column, _ index: Int) -> Bool {
        guard isStored, ["flux_auto", "fluxerr_auto", "flag_auto"].contains(column.name),
            let kron = columns["kron_radius"].flatMap({ Double($0[index]) })
        else { return false }
        return !(2.5 * kron >= 3.5)
    }

    private func difference(
        _ column: SourceTable.Column, _ table: SourceTable, _ index: Int, _ word: String
    ) -> String? {
        switch column {
        case .int16(_, let path):
            let value = table[keyPath: path][index]
            return Int16(word) == value ? nil : "\(value)"
        case .int32(_, let path):
            let value = table[keyPath: path][index]
            return Int32(word) == value ? nil : "\(value)"
        case .float(_, let path):
            // Nine digits identify a single-precision number.
            let value = table[keyPath: path][index]
            return value.isNaN ? (word.hasSuffix("nan") ? nil : "nan") : (Float(word) == value ? nil : "\(value)")
        case .double(_, let path):
            let value = table[keyPath: path][index]
            if value.isNaN { return word.hasSuffix("nan") ? nil : "nan" }
            return Double(word).map { isClose(value, $0) } ?? false ? nil : "\(value)"
        }
    }
}

extension SourceTable.Column {
    /// Whether two words are equal values: floats to the last bit, doubles as in ``isClose(_:_:)``.
    fileprivate func isEqual(_ word: String, _ reference: String) -> Bool {
        if word == reference || (word.hasSuffix("nan") && reference.hasSuffix("nan")) { return true }
        switch self {
        case .int16, .int32: return Int(word) == Int(reference)
        case .float: return Float(word) == Float(reference)
        case .double:
            guard let value = Double(word), let expected = Double(reference) else { return false }
            return isClose(value, expected)
        }
    }
}

/// Equal to one part in 10⁹, or to 10⁻⁹ below 1.
package func isClose(_ value: Double, _ reference: Double) -> Bool {
    value == reference || abs(value - reference) <= 1e-9 * max(1, abs(reference))
}
