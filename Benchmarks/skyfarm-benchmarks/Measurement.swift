/// A quantity that was measured several times: the median counts, the spread says how far to trust it.
struct Measurement: Encodable {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    /// The middle value, or the mean of the two in the middle.
    var median: Double { quantile(0.5) }
    var lowest: Double { values.min() ?? .nan }
    var highest: Double { values.max() ?? .nan }

    /// The value below which `share` of the values lie, interpolated.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        let place = share * Double(last)
        let low = Int(place)
        return sorted[low] + (sorted[min(low + 1, last)] - sorted[low]) * (place - Double(low))
    }

    /// Quotients of values taken in the same round: what is left when the machine's speed drifts.
    static func / (left: Measurement, right: Measurement) -> Measurement {
        var result = Measurement()
        for (numerator, denominator) in zip(left.values, right.values) { result.add(numerator / denominator) }
        return result
    }

    private enum CodingKeys: String, CodingKey { case median, lowest, highest, values }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(median, forKey: .median)
        try container.encode(lowest, forKey: .lowest)
        try container.encode(highest, forKey: .highest)
        try container.encode(values, forKey: .values)
    }
}
