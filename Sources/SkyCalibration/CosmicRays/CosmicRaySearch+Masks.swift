extension CosmicRaySearch {
    /// Masks the surroundings of saturated stars and of masked pixels.
    func maskSaturated(
        _ clean: UnsafeMutablePointer<Float>, _ masked: UnsafeMutablePointer<UInt8>, _ saturated: [UInt8]?
    ) {
        let limit = Float(parameters.satlevel)
        var stars = (0..<width * height).filter { index in
            clean[index] >= limit || saturated.map { $0[index] != 0 } ?? false
        }
        if !stars.isEmpty {
            // The smooth image tells saturated stars from bright cosmic rays.
            let smooth = StripRows.allocate(0..<height, width: width)
            defer { smooth.start.deallocate() }
            filters.level.apply(
                to: StripRows(start: clean, rows: 0..<height, width: width), height: height, into: smooth)
            stars = stars.filter { smooth.start[$0] > limit / 10 }
        }
        for _ in 0..<2 { stars = neighbours(of: stars, reach: 2) }
        let bad = neighbours(of: (0..<width * height).filter { masked[$0] != 0 }, reach: 1)
        for index in bad + stars { masked[index] = 1 }
    }

    /// The pixels within `reach` of others in both directions, without the corners if that is 2, each once.
    private func neighbours(of pixels: [Int], reach: Int) -> [Int] {
        if pixels.isEmpty { return [] }
        var isFound = [Bool](repeating: false, count: width * height)
        var found: [Int] = []
        for pixel in pixels {
            let (x, y) = (pixel % width, pixel / width)
            for dy in -reach...reach where (0..<height).contains(y + dy) {
                for dx in -reach...reach where (0..<width).contains(x + dx) && abs(dx) + abs(dy) < 4 {
                    let index = (y + dy) * width + x + dx
                    if !isFound[index] { found.append(index) }
                    isFound[index] = true
                }
            }
        }
        return found
    }

    /// Replaces the pixels of all cosmic rays.
    func replace(
        _ clean: UnsafeMutablePointer<Float>, rays: UnsafePointer<UInt8>, masked: UnsafePointer<UInt8>,
        background: Float
    ) {
        var values: [Float] = []
        for y in 0..<height {
            for x in 0..<width where rays[y * width + x] != 0 {
                var (sum, weight): (Float, Float) = (0, 0)
                values.removeAll(keepingCapacity: true)
                for dy in -2...2 where (0..<height).contains(y + dy) {
                    for dx in -2...2 where (0..<width).contains(x + dx) {
                        let index = (y + dy) * width + x + dx
                        if rays[index] != 0 || masked[index] != 0 { continue }
                        let share: Float =
                            parameters.cleantype == .idw ? 1 / Float(dx * dx + dy * dy).squareRoot() : 1
                        sum += share * clean[index]
                        weight += share
                        values.append(clean[index])
                    }
                }
                clean[y * width + x] =
                    values.isEmpty
                    ? background : parameters.cleantype == .medmask ? Self.median(&values) : sum / weight
            }
        }
    }

    private static func median(_ values: inout [Float]) -> Float {
        values.sort()
        let (low, high) = (values[(values.count - 1) / 2], values[values.count / 2])
        return (low + high) / 2
    }
}
