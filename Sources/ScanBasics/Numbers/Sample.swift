/// Several measurements of one quantity: the median is the result, the spread shows its uncertainty.
package struct Sample: Encodable, Equatable, Sendable {
    /// In the order of measurement.
    package private(set) var values: [Double]

    package init(_ values: [Double] = []) { self.values = values }

    package mutating func add(_ value: Double) { values.append(value) }

    /// The middle value, or the mean of the two in the middle; NaN if there are no values.
    package var median: Double { quantile(0.5) }

    /// The smallest value; NaN if there are no values.
    package var lowest: Double { values.min() ?? .nan }

    /// The greatest value; NaN if there are no values.
    package var highest: Double { values.max() ?? .nan }

    /// The value below which `share` of the values lie, interpolated; NaN if there are no values.
    package func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        let place = share * Double(last)
        let low = Int(place)
        return sorted[low] + (sorted[min(low + 1, last)] - sorted[low]) * (place - Double(low))
    }

    /// Returns the sample with `change` applied to each value.
    package func map(_ change: (Double) -> Double) -> Sample { Sample(values.map(change)) }

    /// Divides values of the same round: a drift of the machine's speed affects both and cancels.
    package static func / (left: Sample, right: Sample) -> Sample {
        Sample(zip(left.values, right.values).map { $0 / $1 })
    }

    private enum CodingKeys: String, CodingKey { case median, lowest, highest, values }

    /// Writes median, lowest and highest before the values.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(median, forKey: .median)
        try container.encode(lowest, forKey: .lowest)
        try container.encode(highest, forKey: .highest)
        try container.encode(values, forKey: .values)
    }
}
