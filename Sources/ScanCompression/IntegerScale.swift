internal import ScanBasics

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A scale of integers: each float is `step` times an integer, plus `offset`, computed in double precision and rounded to
/// a float.
struct IntegerScale: Equatable {
    var step: Double
    var offset: Double

    /// Share of a sample that may be off the scale, such as interpolated or blank pixels.
    private static let strayShare = 32

    /// The scale of most of the floats in `sample`; nil if they have none, or too few values to tell.
    static func find(in sample: [Float]) -> IntegerScale? {
        let finite = sample.filter(\.isFinite)
        guard finite.count > sample.count / 2 else { return nil }
        var values: [Float] = []
        for value in finite.sorted() where value != values.last { values.append(value) }
        guard let first = values.first, let last = values.last else { return nil }
        if first == last { return IntegerScale(step: 1, offset: Double(first)) }
        return binary(values) ?? LatticeFit(values)?.scale
    }

    /// The scale of multiples of a power of two, and of a greater number if they have it in common.
    private static func binary(_ values: [Float]) -> IntegerScale? {
        let lowest = values.compactMap(lowestBit).sorted()
        guard !lowest.isEmpty else { return nil }
        let unit = scalbn(1, Int32(lowest[lowest.count / strayShare]))
        let bound = Double(max(abs(values[0]), abs(values[values.count - 1])))
        // Floats of full precision are multiples of a power of two, too.
        guard unit > 0, bound / unit < 0x1p22 else { return nil }
        let integers = values.map { Double($0) / unit }.filter { $0 == $0.rounded() }.map { Int($0) }
        guard let first = integers.first else { return nil }
        var common = 0
        for integer in integers { common = greatestCommonDivisor(common, integer - first) }
        if common == 0 { return nil }
        return IntegerScale(step: unit * Double(common), offset: unit * Double(first % common))
    }

    /// The exponent of the lowest bit that is set; nil for 0.
    private static func lowestBit(_ value: Float) -> Int? {
        guard value != 0 else { return nil }
        let significand = value.isNormal ? value.significandBitPattern | 1 << 23 : value.significandBitPattern
        let exponent = max(Int(value.exponentBitPattern), 1) - 127 - 23
        return exponent + significand.trailingZeroBitCount
    }
}

/// Finds the scale of floats that were rounded: first the integers, by ever greater distances from the middle value; then
/// the step and the offset for which each float is the nearest to its place on the scale.
private struct LatticeFit {
    /// A value, the integer at its place from the middle value, and half of the distance to the next float.
    private struct Place {
        let value: Double
        let integer: Double
        let tolerance: Double
    }

    private var places: [Place] = []
    private var steps: ClosedRange<Double>
    private let middle: Double

    private static let strayShare = 32
    private static let fewestValues = 12

    /// Distinct `values` in ascending order; nil if their differences are no multiples of one number.
    init?(_ values: [Float]) {
        guard values.count >= Self.fewestValues else { return nil }
        let middle = values[values.count / 2]
        self.middle = Double(middle)
        // Most neighbours differ by one step if there are many values.
        let gaps = zip(values, values.dropFirst()).map { (one: Float, next: Float) -> (size: Double, error: Double) in
            (size: Double(next) - Double(one), error: Double(one.ulp + next.ulp) / 2)
        }
        .sorted { $0.size < $1.size }
        let gap = gaps[gaps.count / Self.strayShare]
        guard gap.size > 4 * gap.error else { return nil }
        steps = gap.size - gap.error...gap.size + gap.error
        var strays = 0
        for value in values.sorted(by: { abs($0 - middle) < abs($1 - middle) }) {
            let (value, tolerance) = (Double(value), Double(value.ulp) / 2)
            let distance = value - self.middle
            let step = (steps.lowerBound + steps.upperBound) / 2
            let integer = (distance / step).rounded()
            // Which integer is uncertain: the value tells nothing.
            guard abs(integer) * (steps.upperBound - steps.lowerBound) < 0.4 * step else { continue }
            let error = tolerance + Double(middle.ulp) / 2
            guard integer != 0 || distance == 0,
                let next = Self.part(
                    of: steps, from: (abs(distance) - error) / abs(integer), to: (abs(distance) + error) / abs(integer))
            else {
                strays += 1
                continue
            }
            steps = next
            places.append(Place(value: value, integer: integer, tolerance: tolerance))
        }
        guard strays <= values.count / Self.strayShare, places.count >= Self.fewestValues else { return nil }
    }

    /// The part of a range between two numbers; the range itself if these are no numbers.
    private static func part(of range: ClosedRange<Double>, from low: Double, to high: Double) -> ClosedRange<Double>? {
        if low.isNaN || high.isNaN { return range }
        let (low, high) = (max(range.lowerBound, low), min(range.upperBound, high))
        return low <= high ? low...high : nil
    }

    /// The scale that gives back most of the values.
    var scale: IntegerScale? {
        let needed = places.count - places.count / Self.strayShare
        return (proportional + affine).first { scale in places.count { isExact($0, scale) } >= needed }
    }

    private func isExact(_ place: Place, _ scale: IntegerScale) -> Bool {
        let integer = ((place.value - scale.offset) / scale.step).rounded()
        return Double(Float(scale.step * integer + scale.offset)) == place.value
    }

    /// Scales without an offset: the integers count from 0.
    private var proportional: [IntegerScale] {
        let step = (steps.lowerBound + steps.upperBound) / 2
        let first = (middle / step).rounded()
        guard abs(first) * (steps.upperBound - steps.lowerBound) < 0.4 * step else { return [] }
        var range = 0...Double.infinity
        for place in places {
            let integer = place.integer + first
            guard integer != 0 else { continue }
            let ends = [(place.value - place.tolerance) / integer, (place.value + place.tolerance) / integer].sorted()
            guard let next = Self.part(of: range, from: ends[0], to: ends[1]) else { continue }
            range = next
        }
        return Self.simplest(in: range).map { IntegerScale(step: $0, offset: 0) }
    }

    /// Scales with the offset of the middle value: those in the middle of what is possible, and the simplest ones.
    private var affine: [IntegerScale] {
        // The room for offsets is a concave function of the step.
        func offsets(_ step: Double) -> (low: Double, high: Double) {
            var (low, high) = (-Double.infinity, Double.infinity)
            for place in places {
                low = max(low, place.value - place.tolerance - step * place.integer)
                high = min(high, place.value + place.tolerance - step * place.integer)
            }
            return (low, high)
        }
        func room(_ step: Double) -> Double { offsets(step).high - offsets(step).low }
        var (low, high) = (steps.lowerBound, steps.upperBound)
        for _ in 0..<100 where low < high {
            let (one, other) = (low + (high - low) / 3, high - (high - low) / 3)
            if room(one) < room(other) { low = one } else { high = other }
        }
        let best = (low + high) / 2
        guard room(best) >= 0 else { return [] }
        func edge(_ outside: Double) -> Double {
            var (inside, outside) = (best, outside)
            for _ in 0..<50 {
                let between = (inside + outside) / 2
                if room(between) >= 0 { inside = between } else { outside = between }
            }
            return inside
        }
        let range = edge(steps.lowerBound)...edge(steps.upperBound)
        return (Self.simplest(in: range) + [best]).flatMap { step in
            let (low, high) = offsets(step)
            guard low <= high else { return [IntegerScale]() }
            // Any integer may be that of the middle value: one with a simple offset is preferred.
            let shift = (middle / step).rounded() * step
            return (Self.simplest(in: low - shift...high - shift) + Self.simplest(in: low...high)).map {
                IntegerScale(step: step, offset: $0)
            }
        }
    }

    /// Numbers in a range: that with the fewest bits, that with the fewest decimals, and the middle.
    private static func simplest(in range: ClosedRange<Double>) -> [Double] {
        guard range.upperBound.isFinite, range.lowerBound.isFinite else { return [] }
        if range.contains(0) { return [0] }
        if range.upperBound < 0 { return simplest(in: -range.upperBound...(-range.lowerBound)).map { -$0 } }
        let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
        var found: [Double] = []
        let top = Int32(range.upperBound.exponent)
        for exponent in 0..<Int32(60) {
            let unit = scalbn(1, top - exponent)
            let number = (range.lowerBound / unit).rounded(.up) * unit
            if range.contains(number) {
                found.append(number)
                break
            }
        }
        let digits = Int(log10(range.upperBound).rounded(.down))
        for decimals in -digits..<(-digits + 16) {
            let power = pow(10, Double(abs(decimals)))
            let count = decimals < 0 ? range.lowerBound / power : range.lowerBound * power
            let number = decimals < 0 ? count.rounded(.up) * power : count.rounded(.up) / power
            if range.contains(number) {
                found.append(number)
                break
            }
        }
        return found + [middle]
    }
}
