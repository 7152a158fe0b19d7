import Foundation
import SkyCalibration
import Testing

@Suite struct CosmicRaySearchTests {
    private static let (width, height) = (300, 260)

    /// A sky of stars with noise, whose width is `fwhm`, and the pixels of stars.
    private static func sky(fwhm: Double) -> (pixels: [Float], stars: Set<Int>) {
        var random = Noise(seed: 11)
        var pixels = (0..<width * height).map { _ in Float(200 + 14 * random.next()) }
        var stars: Set<Int> = []
        for star in 0..<72 {
            // Apart from each other; some of them are near an edge.
            let (x, y) = (star % 9 * 33 + 3 + star % 5, star / 9 * 33 + 3 + star % 7)
            let peak = 300.0 * Double(star % 20 + 1)
            let sigma = fwhm / 2.3548
            for dy in -12...12 {
                for dx in -12...12 {
                    let (column, row) = (x + dx, y + dy)
                    guard (0..<width).contains(column), (0..<height).contains(row) else { continue }
                    let light = peak * exp2(-Double(dx * dx + dy * dy) / (2 * sigma * sigma) * 1.4427)
                    pixels[row * width + column] += Float(light + light.squareRoot() * random.next())
                    if light > 14 { stars.insert(row * width + column) }
                }
            }
        }
        return (pixels, stars)
    }

    @Test("cosmic rays are found, and stars are left alone", arguments: [2.5, 3.5, 5])
    func found(fwhm: Double) {
        var (pixels, stars) = Self.sky(fwhm: fwhm)
        let clean = pixels
        var rays: [[Int]] = []
        for ray in 0..<100 {
            let start = (ray * 104_729 / 7 + 4 * Self.width + 10) % (Self.width * (Self.height - 10))
            let column = min(max(start % Self.width, 5), Self.width - 10)
            let row = min(max(start / Self.width, 4), Self.height - 9)
            let places = (0..<5).map { (row + $0 / 2) * Self.width + column + $0 }
            for place in places { pixels[place] += 20 * 15.6 }
            rays.append(places)
        }
        var parameters = CosmicRayParameters()
        parameters.readnoise = 1
        let marks = CosmicRaySearch(parameters, width: Self.width, height: Self.height).clean(&pixels)
        let hit = rays.count { ray in ray.contains { marks[$0] != 0 } }
        #expect(hit >= 97)
        let own = Set(rays.joined())
        var untouched = clean
        let wrong = CosmicRaySearch(parameters, width: Self.width, height: Self.height).clean(&untouched)
        #expect(Double(stars.count { wrong[$0] != 0 }) <= 0.001 * Double(stars.count))
        // Most of their light is gone.
        let left = own.map { Double(pixels[$0] - clean[$0]) }.reduce(0, +) / Double(own.count)
        #expect(left < 0.15 * 20 * 15.6)
    }

    /// A thousand cosmic rays of five pixels at 20 times the noise of the sky, at places that chance chooses.
    @Test("of 1,000 cosmic rays 97 % are found, and 0.1 % of the pixels of stars are masked", arguments: [2.5, 3.5, 5])
    func thousand(fwhm: Double) {
        var random = Noise(seed: 5)
        var (found, masked, starCount, rayCount) = (0, 0, 0, 0)
        while rayCount < 1000 {
            let (sky, stars) = Self.sky(fwhm: fwhm)
            var (pixels, rays) = (sky, [[Int]]())
            var taken: Set<Int> = []
            for _ in 0..<125 {
                let column = 8 + Int(abs(random.next()) * 1_000_003) % (Self.width - 16)
                let row = 8 + Int(abs(random.next()) * 1_000_033) % (Self.height - 16)
                let (dx, dy) = (Int(abs(random.next()) * 997) % 2, Int(abs(random.next()) * 991) % 3 - 1)
                // Along a row, a column or a diagonal.
                let step = (dx, dy) == (0, 0) ? 1 : dy * Self.width + dx
                let places = (0..<5).map { row * Self.width + column + $0 * step }
                if places.contains(where: taken.contains) { continue }
                for place in places {
                    pixels[place] += 20 * 14
                    for dy in -3...3 { for dx in -3...3 { taken.insert(place + dy * Self.width + dx) } }
                }
                rays.append(places)
            }
            var parameters = CosmicRayParameters()
            parameters.readnoise = 1
            let search = CosmicRaySearch(parameters, width: Self.width, height: Self.height)
            let marks = search.clean(&pixels)
            found += rays.count { ray in ray.contains { marks[$0] != 0 } }
            rayCount += rays.count
            var untouched = sky
            let wrong = search.clean(&untouched)
            masked += stars.count { wrong[$0] != 0 }
            starCount += stars.count
        }
        #expect(Double(found) >= 0.97 * Double(rayCount), "\(found) of \(rayCount)")
        #expect(Double(masked) <= 0.001 * Double(starCount), "\(masked) of \(starCount)")
    }

    @Test("nothing depends on slots")
    func slots() {
        var (one, _) = Self.sky(fwhm: 3)
        for place in stride(from: 1500, to: one.count - 1500, by: 997) { one[place] += 900 }
        var four = one
        let parameters = CosmicRayParameters()
        let first = CosmicRaySearch(parameters, width: Self.width, height: Self.height).clean(&one)
        let second = CosmicRaySearch(parameters, width: Self.width, height: Self.height, slots: Slots(4)).clean(&four)
        #expect(first == second && one == four && first.contains(1))
    }

    @Test("images of any size are searched", arguments: [1, 2, 4, 5, 8, 11], [1, 3, 7, 70])
    func small(width: Int, height: Int) {
        var pixels = (0..<width * height).map { Float(100 + $0 * 7919 % 13) }
        pixels[width * height / 2] = 5000
        for separable in [true, false] {
            var parameters = CosmicRayParameters()
            parameters.sepmed = separable
            let marks = CosmicRaySearch(parameters, width: width, height: height).clean(&pixels)
            #expect(marks.count == pixels.count && pixels.allSatisfy(\.isFinite))
        }
    }

    @Test("surroundings of pixels that are known to be saturated are not searched, whatever their values")
    func saturated() {
        var (pixels, _) = Self.sky(fwhm: 3)
        let place = 40 * Self.width + 40
        pixels[place] = 60_000
        // Some light around it tells a star from a cosmic ray.
        for dy in -4...4 {
            for dx in -4...4 where dx != 0 || dy != 0 { pixels[place + dy * Self.width + dx] = 20_000 }
        }
        var known = pixels
        var marks = [UInt8](repeating: 0, count: pixels.count)
        marks[place] = 1
        let search = CosmicRaySearch(CosmicRayParameters(), width: Self.width, height: Self.height)
        #expect(search.clean(&pixels)[place] == 1)
        #expect(search.clean(&known, saturated: marks)[place] == 0 && known[place] == 60_000)
    }

    @Test("pixels without a value are not searched and stay as they are")
    func missing() {
        var (pixels, _) = Self.sky(fwhm: 3)
        for place in 5000..<5100 { pixels[place] = .nan }
        let marks = CosmicRaySearch(CosmicRayParameters(), width: Self.width, height: Self.height).clean(&pixels)
        #expect((5000..<5100).allSatisfy { pixels[$0].isNaN && marks[$0] == 0 })
        var empty = [Float](repeating: .nan, count: 100)
        #expect(CosmicRaySearch(CosmicRayParameters(), width: 10, height: 10).clean(&empty).allSatisfy { $0 == 0 })
    }
}

/// Numbers of a normal distribution.
private struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> Double {
        var sum = 0.0
        for _ in 0..<12 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            sum += Double(state >> 11) / Double(1 << 53)
        }
        return sum - 6
    }
}
