package import CCalibration

/// Comparators that sort values whatever they are, so that many pixels can be sorted at once by vector instructions.
///
/// It is Batcher's merge-exchange network (Knuth, The Art of Computer Programming, volume 3, 5.2.2 M).
package struct SortingNetwork: Sendable {
    package let comparators: [skyfarm_comparator]

    /// The network that sorts `count` values.
    package init(sorting count: Int) {
        var comparators: [skyfarm_comparator] = []
        var top = 1
        while top * 2 < count { top *= 2 }
        var distance = count > 1 ? top : 0
        while distance > 0 {
            var (power, remainder, step) = (top, 0, distance)
            while true {
                for index in 0..<max(0, count - step) where index & distance == remainder {
                    comparators.append(
                        skyfarm_comparator(low: UInt16(index), high: UInt16(index + step)))
                }
                if power == distance { break }
                (step, power, remainder) = (power - distance, power / 2, distance)
            }
            distance /= 2
        }
        self.comparators = comparators
    }

    /// The part of the network for `count` values that decides which values are in the middle: one row, or two if the
    /// count is even.
    package init(selectingMiddleOf count: Int) {
        var needed = Set([(count - 1) / 2, count / 2])
        var kept: [skyfarm_comparator] = []
        for comparator in SortingNetwork(sorting: count).comparators.reversed() {
            let rows = [Int(comparator.low), Int(comparator.high)]
            guard rows.contains(where: needed.contains) else { continue }
            needed.formUnion(rows)
            kept.append(comparator)
        }
        comparators = kept.reversed()
    }
}
