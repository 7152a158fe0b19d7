import ScanCluster
import Foundation

/// The results of a suite: rows of measurements, as a table or as JSON.
struct Report: Encodable {
    struct Row: Encodable {
        var name: String
        var unit: String
        var measurement: Sample
    }

    var v = 1
    var suite: String
    var machine = Machine()
    var notes: [String] = []
    private(set) var rows: [Row] = []

    init(_ suite: BenchmarkOptions.Suite) { self.suite = suite.rawValue }

    mutating func add(_ name: String, _ unit: String, _ measurement: Sample) {
        rows.append(Row(name: name, unit: unit, measurement: measurement))
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    func text() -> String {
        let header = ["", "unit", "median", "lowest", "highest"]
        let cells =
            [header]
            + rows.map { row in
                let values = [row.measurement.median, row.measurement.lowest, row.measurement.highest]
                return [row.name, row.unit] + values.map(Self.digits)
            }
        let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let lines = cells.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < 2 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }
        return (["\(suite): \(machine)"] + notes + lines).joined(separator: "\n")
    }

    /// Four significant digits.
    private static func digits(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return "\(value)" }
        let decimals = max(0, 3 - Int(log10(abs(value)).rounded(.down)))
        return String(format: "%.\(decimals)f", value)
    }

    /// The machine of the measurement.
    struct Machine: Encodable, CustomStringConvertible {
        var cores = ProcessInfo.processInfo.activeProcessorCount
        var system = ProcessInfo.processInfo.operatingSystemVersionString
        /// Load average over the last minute, which shows other load on the machine.
        var loadAverage = Machine.currentLoad()

        var description: String {
            "\(cores) cores, \(system), load \(String(format: "%.1f", loadAverage)) at the end"
        }

        private static func currentLoad() -> Double {
            var loads = [0.0]
            return getloadavg(&loads, 1) == 1 ? loads[0] : .nan
        }
    }
}
