/// Measurements in the Prometheus text format, version 0.0.4.
public struct PrometheusText: Equatable, Sendable {
    /// The type of a metric.
    public enum Kind: String, Sendable {
        /// A value that never decreases; its name ends in `_total`.
        case counter
        /// A value that may increase and decrease.
        case gauge
    }

    /// The lines added so far.
    public private(set) var text = ""

    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// Creates a text without measurements.
    public init() {}

    /// Appends a metric with one value per set of labels.
    public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        text += "# HELP \(name) \(Self.escape(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escape($0.value, quotes: true))\"" }
            text +=
                name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") + " \(Self.number(sample.value))\n"
        }
    }

    /// Appends a metric with one value and no labels.
    public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        add(name, kind, help, [Sample([], value)])
    }

    /// A value with its labels.
    public struct Sample: Equatable, Sendable {
        var labels: [Label]
        var value: Double

        /// Creates a sample from pairs of label name and label value.
        public init(_ labels: [(String, String)], _ value: Double) {
            self.labels = labels.map { Label(name: $0.0, value: $0.1) }
            self.value = value
        }
    }

    struct Label: Equatable, Sendable {
        var name: String
        var value: String
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quotes ? escaped.replacing("\"", with: "\\\"") : escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : "\(value)"
    }
}
