/// The values along a line of a map and beside it: on the line, on its left and on its right side, block by block.
struct LineProfile {
    private(set) var centre: [Double] = []
    private(set) var left: [Double] = []
    private(set) var right: [Double] = []
    /// Share of the blocks with samples on the line and on each side.
    private(set) var valid = (centre: 0.0, left: 0.0, right: 0.0)
    /// The part of the line that is in the image.
    private(set) var line: BlockLine

    /// Distances of the sides from the line, in blocks.
    private static let sides = [3.5, 5.0, 6.5]

    /// The profile of the line through both ends, as far as it is in the image.
    init(through line: BlockLine, of map: BlockMap) {
        self.init(of: line, in: map, beyond: Double(map.width + map.height))
    }

    /// The profile of a line and of its continuation by `beyond` blocks, as far as it is in the image.
    init(of line: BlockLine, in map: BlockMap, beyond: Double = 0) {
        let (length, (ux, uy)) = (max(line.length, 1), line.step)
        var places: [(x: Double, y: Double)] = []
        for step in Int(-beyond)...Int(length + beyond) {
            let (x, y) = (line.x1 + ux * Double(step), line.y1 + uy * Double(step))
            if map.sample(map.values, x, y) != nil { places.append((x, y)) }
        }
        self.line = line
        guard let first = places.first, let last = places.last else { return }
        self.line = BlockLine(x1: first.x, y1: first.y, x2: last.x, y2: last.y, significance: line.significance)
        func mean(_ values: [Float], _ place: (x: Double, y: Double), _ offsets: [Double]) -> Double? {
            let samples = offsets.compactMap { map.sample(values, place.x - uy * $0, place.y + ux * $0) }
            return samples.isEmpty ? nil : samples.reduce(0, +) / Double(samples.count)
        }
        let (leftSide, rightSide) = (Self.sides, Self.sides.map { -$0 })
        for place in places {
            centre.append(mean(map.values, place, [0]) ?? 0)
            let (onLeft, onRight) = (mean(map.values, place, leftSide), mean(map.values, place, rightSide))
            left.append(onLeft ?? onRight ?? 0)
            right.append(onRight ?? onLeft ?? 0)
            valid.centre += mean(map.valid, place, [0]) ?? 0
            valid.left += mean(map.valid, place, leftSide) ?? 0
            valid.right += mean(map.valid, place, rightSide) ?? 0
        }
        let count = Double(places.count)
        valid = (valid.centre / count, valid.left / count, valid.right / count)
    }

    /// Contrast of each block to the mean of both sides.
    var contrast: [Double] { centre.indices.map { centre[$0] - (left[$0] + right[$0]) / 2 } }

    /// The mean contrast of a line in units of its error, if the blocks were independent of each other and had a
    /// deviation of 1. Nil if less than `least` blocks of it are in the image and have values.
    static func contrast(of line: BlockLine, in map: BlockMap, least: Double) -> Double? {
        let (length, (ux, uy)) = (max(line.length, 1), line.step)
        var (sum, count) = (0.0, 0.0)
        for step in 0...Int(length) {
            let (x, y) = (line.x1 + ux * Double(step), line.y1 + uy * Double(step))
            guard let centre = map.sample(map.values, x, y), map.sample(map.valid, x, y) ?? 0 > 0.5 else { continue }
            let beside = [-5.0, -3.5, 3.5, 5].compactMap { map.sample(map.values, x - uy * $0, y + ux * $0) }
            if beside.isEmpty { continue }
            sum += centre - beside.reduce(0, +) / Double(beside.count)
            count += 1
        }
        return count < max(least, 1) ? nil : sum / count.squareRoot()
    }
}
