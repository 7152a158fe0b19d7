package import SkyExtraction

/// Finds the trails in a coarse image. See Docs/Trails.md.
package struct TrailFinder {
    private let map: BlockMap
    private let (width, height): (Int, Int)

    /// The trails in the coarse image of an image of `width` by `height` pixels, the most significant first.
    package static func trails(in image: CoarseImage, width: Int, height: Int) -> [Trail] {
        let found = image.planes.flatMap { plane in
            TrailFinder(map: BlockMap(plane, of: image), width: width, height: height).trails()
        }
        var trails: [Trail] = []
        for trail in found.sorted(by: { $0.significance > $1.significance })
        where !trails.contains(where: { $0.covers(trail, within: 3 * image.block) }) {
            trails.append(trail)
        }
        return Array(trails.prefix(trailLimit))
    }

    private init(map: BlockMap, width: Int, height: Int) {
        (self.map, self.width, self.height) = (map, width, height)
    }

    /// Least sum of a line that is looked at, in units of its error.
    private static let threshold: Float = 8
    /// Least contrast of a trail to both sides, in units of its error.
    private static let contrast = 7.0
    /// Least contrast of a trail in units of the deviation of that of parallel lines, by the number of its ends that are
    /// inside of the image: there are more lines with ends.
    private static let prominence = [6.5, 7, 7.5]
    /// Parts into which a trail is divided, and how many must have this share of its contrast: by the number of its ends
    /// that are inside of the image, since galaxies and spikes do not cross it.
    private static let (parts, evenParts, evenShare) = (8, [5, 6, 6], 0.35)
    /// Least share of the blocks on either side that have values, alone and in units of that on the trail.
    private static let (validShare, validRatio) = (0.25, 0.5)
    /// Most lines that are looked at, and most trails.
    private static let (lineLimit, trailLimit) = (96, 32)

    /// Least length of a trail in blocks: a quarter of the shorter side, and 100 pixels.
    private var least: Double { max(100, Double(min(width, height)) / 4) / Double(map.block) }

    /// Least length in blocks of a trail of which so many ends are inside of the image. Satellites cross the image: a trail
    /// that ends in it must be longer.
    private func least(ends: Int) -> Double { least * [1, 1.6, 2][ends] }

    /// The trails of the map.
    private func trails() -> [Trail] {
        guard min(map.width, map.height) >= 16, map.deviation > 0 else { return [] }
        var seen: [BlockLine] = []
        var trails: [Trail] = []
        for line in LineSums(map, least: least, threshold: Self.threshold).lines() {
            if seen.contains(where: { $0.isNear(line) }) { continue }
            if seen.count == Self.lineLimit || trails.count == Self.trailLimit { break }
            let refined = refined(line)
            let isKnown = seen.contains { $0.isNear(refined) }
            seen.append(line)
            if isKnown { continue }
            seen.append(refined)
            if let trail = trail(refined), !trails.contains(where: { $0.covers(trail, within: 3 * map.block) }) {
                trails.append(trail)
            }
        }
        return trails.sorted { $0.significance > $1.significance }
    }

    /// The line of the highest mean in the neighbourhood.
    private func refined(_ line: BlockLine) -> BlockLine {
        func mean(_ line: BlockLine) -> Double {
            let count = max(Int(line.length), 2)
            var sum = 0.0
            for step in 0...count {
                let share = Double(step) / Double(count)
                let (x, y) = (line.x1 + (line.x2 - line.x1) * share, line.y1 + (line.y2 - line.y1) * share)
                sum += map.sample(map.values, x, y) ?? 0
            }
            return sum / Double(count + 1)
        }
        var (best, highest) = (line, mean(line))
        for step in [1.0, 0.5, 0.25] {
            let origin = best
            for first in -2...2 {
                for second in -2...2 {
                    let moved = origin.moved(Double(first) * step, Double(second) * step)
                    let value = mean(moved)
                    if value > highest { (best, highest) = (moved, value) }
                }
            }
        }
        return best
    }

    /// The trail on a line; nil if there is none.
    private func trail(_ line: BlockLine) -> Trail? {
        let profile = LineProfile(through: line, of: map)
        let contrast = profile.contrast
        let limit = 0.4 * Self.upper(contrast)
        guard limit > 0 else { return nil }
        let run = Self.run(contrast, above: limit)
        let ends = (run.lowerBound > 2 ? 1 : 0) + (run.upperBound < contrast.count - 2 ? 1 : 0)
        guard Double(run.count) >= least(ends: ends) else { return nil }
        let (centre, left, right) = (profile.centre[run], profile.left[run], profile.right[run])
        let on = Array(contrast[run])
        let mean = on.reduce(0, +) / Double(on.count)
        // The error of a block's contrast is that of the line and that of six places beside it.
        let error = Double(map.deviation) * (1 + 1.0 / 6).squareRoot() / Double(on.count).squareRoot()
        let (level, onLeft, onRight) = (Self.mean(centre), Self.mean(left), Self.mean(right))
        guard mean / error >= Self.contrast, level - max(onLeft, onRight) >= 0.5 * mean,
            Self.median(on) >= 0.4 * mean, isEven(on, mean: mean, ends: ends),
            min(profile.valid.centre, profile.valid.left, profile.valid.right)
                >= max(Self.validShare, Self.validRatio * profile.valid.centre)
        else { return nil }
        var trail = measured(profile.line, run, of: contrast.count)
        trail.significance = significance(of: trail)
        return trail.brightness > 0 && trail.significance >= Self.prominence[ends] ? trail : nil
    }

    /// The contrast of a trail in units of the deviation of that of parallel lines on both sides: of clouds, nebulae, crowded
    /// fields and patterns of detectors, in which a line is nothing special. 0 if there are too few of them, and if the line
    /// is one of a row or column.
    private func significance(of trail: Trail) -> Double {
        let block = Double(map.block)
        let line = BlockLine(
            x1: (trail.x1 + 0.5) / block - 0.5, y1: (trail.y1 + 0.5) / block - 0.5,
            x2: (trail.x2 + 0.5) / block - 0.5, y2: (trail.y2 + 0.5) / block - 0.5, significance: 0)
        guard let contrast = LineProfile.contrast(of: line, in: map, least: 2), !isAligned(line, contrast) else {
            return 0
        }
        let beside = stride(from: 9.0, through: 9 + Self.spacing * 15, by: Self.spacing).flatMap { [$0, -$0] }
            .compactMap { LineProfile.contrast(of: line.moved($0, $0), in: map, least: line.length / 4)?.magnitude }
            .sorted()
        guard beside.count >= 6 else { return 0 }
        // The deviation by the median, and by the 7 of 8 that a normal distribution has within 1.534 deviations.
        let deviation = max(1.4826 * beside[beside.count / 2], beside[beside.count * 7 / 8] / 1.534)
        return contrast / max(deviation, Double(map.deviation))
    }

    /// Whether a line is as bright along a row or column, as bad columns, edges of amplifiers and charge that has bled are.
    private func isAligned(_ line: BlockLine, _ contrast: Double) -> Bool {
        guard min((line.x2 - line.x1).magnitude, (line.y2 - line.y1).magnitude) <= 1.5 else { return false }
        var straight = line
        if (line.x2 - line.x1).magnitude < (line.y2 - line.y1).magnitude {
            (straight.x1, straight.x2) = ((line.x1 + line.x2) / 2, (line.x1 + line.x2) / 2)
        } else {
            (straight.y1, straight.y2) = ((line.y1 + line.y2) / 2, (line.y1 + line.y2) / 2)
        }
        return LineProfile.contrast(of: straight, in: map, least: 2) ?? 0 >= Self.alignedShare * contrast
    }

    /// Share of the contrast of a line that one along a row or column has, if the line is one.
    private static let alignedShare = 0.95
    /// Distance of parallel lines from each other, in blocks.
    private static let spacing = 5.0

    /// Whether most parts are about as bright as the whole, as those of a galaxy or a star's spike are not.
    private func isEven(_ contrast: [Double], mean: Double, ends: Int) -> Bool {
        let bright = (0..<Self.parts).count { part in
            let range = part * contrast.count / Self.parts..<(part + 1) * contrast.count / Self.parts
            return Self.mean(contrast[range]) >= Self.evenShare * mean
        }
        return bright >= Self.evenParts[ends]
    }

    /// The mean of the three brightest eighths of a line.
    private static func upper(_ values: [Double]) -> Double {
        let parts = (0..<8).map { mean(values[$0 * values.count / 8..<($0 + 1) * values.count / 8]) }
        return mean(parts.sorted().suffix(3)[...])
    }

    /// The consecutive values with the largest sum above `limit`.
    private static func run(_ values: [Double], above limit: Double) -> Range<Int> {
        var (best, highest) = (0..<0, 0.0)
        var (start, sum) = (0, 0.0)
        for place in values.indices {
            sum += min(values[place], 4 * limit) - limit
            if sum <= 0 { (start, sum) = (place + 1, 0) }
            if sum > highest { (best, highest) = (start..<place + 1, sum) }
        }
        return best
    }

    private static func mean(_ values: some Collection<Double>) -> Double {
        values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }

    private static func median(_ values: some Collection<Double>) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }

    /// The trail with its ends, width and brightness.
    private func measured(_ line: BlockLine, _ run: Range<Int>, of count: Int) -> Trail {
        // A trail that ends within two blocks of the edge of the image reaches it.
        let first = run.lowerBound <= 2 ? 0 : run.lowerBound
        let last = run.upperBound >= count - 2 ? count - 1 : run.upperBound - 1
        let steps = Double(max(count - 1, 1))
        func place(_ step: Int) -> (x: Double, y: Double) {
            let share = Double(step) / steps
            return (line.x1 + (line.x2 - line.x1) * share, line.y1 + (line.y2 - line.y1) * share)
        }
        let (begin, end) = (place(first), place(last))
        let (flux, variance) = profile(from: begin, to: end, steps: last - first + 1)
        let block = Double(map.block)
        // The variance of a block and of the interpolation between blocks is that of a quarter of a block's square.
        let sigma = max((variance - 0.25) * block * block, 0.3).squareRoot()
        func pixel(_ value: Double, _ limit: Int) -> Double {
            min(max((value + 0.5) * block - 0.5, 0), Double(limit - 1))
        }
        return Trail(
            from: (pixel(begin.x, width), pixel(begin.y, height)), to: (pixel(end.x, width), pixel(end.y, height)),
            width: 2.3548 * sigma, brightness: flux * block / (2.5066 * sigma))
    }

    /// The sum across the trail and its variance, in blocks, by medians along it.
    private func profile(
        from begin: (x: Double, y: Double), to end: (x: Double, y: Double), steps: Int
    ) -> (flux: Double, variance: Double) {
        let line = BlockLine(x1: begin.x, y1: begin.y, x2: end.x, y2: end.y, significance: 0)
        let (length, (ux, uy)) = (max(line.length, 1), line.step)
        func level(_ offset: Double) -> Double {
            Self.median(
                (0..<steps).compactMap { step in
                    let along = length * Double(step) / Double(max(steps - 1, 1))
                    return map.sample(
                        map.brightness, begin.x + ux * along - uy * offset, begin.y + uy * along + ux * offset)
                })
        }
        let ground = (level(5) + level(-5)) / 2
        let step = 0.5
        let values = stride(from: -2.5, through: 2.5, by: step).map { ($0, level($0) - ground) }
        let flux = values.reduce(0) { $0 + $1.1 } * step
        guard flux > 0 else { return (0, 0.25) }
        let middle = values.reduce(0) { $0 + $1.0 * $1.1 } * step / flux
        let variance = values.reduce(0) { $0 + ($1.0 - middle) * ($1.0 - middle) * $1.1 } * step / flux
        return (flux, variance)
    }
}

extension BlockLine {
    /// The line with its ends moved across it.
    fileprivate func moved(_ first: Double, _ second: Double) -> BlockLine {
        let (ux, uy) = step
        return BlockLine(
            x1: x1 - uy * first, y1: y1 + ux * first, x2: x2 - uy * second, y2: y2 + ux * second,
            significance: significance)
    }

    /// Whether both ends of `other` are within a few blocks of the line through this one.
    fileprivate func isNear(_ other: BlockLine) -> Bool {
        let (ux, uy) = step
        func distance(_ x: Double, _ y: Double) -> Double { ((y - y1) * ux - (x - x1) * uy).magnitude }
        return max(distance(other.x1, other.y1), distance(other.x2, other.y2)) < 6
    }
}
