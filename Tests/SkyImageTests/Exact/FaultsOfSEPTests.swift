import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyExtraction
import SkyMeasurement

/// What differs from SEP 1.2.1 because that is at fault: Docs/ExactScan.md lists it.
@Suite("faults of SEP that the scan does not have")
struct FaultsOfSEPTests {
    /// Stars at every edge, in each corner and inside, all of them beside another one, on an even sky.
    private static func blends(width: Int = 150, height: Int = 210) -> TestImage {
        var random = SplitMix64(seed: 21)
        var image = TestImage(
            width: width, height: height,
            pixels: (0..<width * height).map { _ in
                Float((0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -5...5, using: &random) })
            })
        let columns = [0.4, 45, 97, Double(width) - 1.6], rows = [0.7, 63.5, 128, Double(height) - 2.5]
        for x in columns {
            for y in rows {
                let step = x > 140 || x < 1 ? (dx: 0.6, dy: 5.6) : (dx: 5.8, dy: -0.9)
                for (x, y) in [(x, y), (x + step.dx, y > 200 ? y - abs(step.dy) : y + step.dy)] {
                    for row in 0..<height where abs(Double(row) - y) < 12 {
                        for column in 0..<width where abs(Double(column) - x) < 12 {
                            let (dx, dy) = (Double(column) - x, Double(row) - y)
                            image.pixels[row * width + column] += Float(3000 * exp(-(dx * dx + dy * dy) / 6))
                        }
                    }
                }
            }
        }
        return image
    }

    private static func scan(_ image: TestImage, _ parameters: ScanParameters, rows: Int? = nil) throws -> SourceTable {
        let scan = try SerialScan(
            width: image.width, height: image.height, parameters: parameters, requestedRows: rows)
        return try image.withView(scan.run).sources
    }

    @Test(
        "a noise map with one value gives the catalogue of that value, in the last row and column, too",
        arguments: [ScanParameters.Filter.conv, .none], [1, 64, 1000])
    func constantMap(filter: ScanParameters.Filter, rows: Int) throws {
        var image = Self.blends()
        var parameters = ScanParameters()
        (parameters.filter, parameters.noise) = (filter, .weights)
        (parameters.weightMap, parameters.rescalesWeights) = (.rms, false)
        image.weights = image.pixels.map { _ in 7 }
        let found = try Self.scan(image, parameters, rows: rows)
        // libsep reads a single number, and no map beyond its ends.
        parameters.noise = .global
        image.weights = nil
        let reference = try WholeImageSEP(image: image, parameters: parameters, constantNoise: 7).run()
        #expect(found.differences(to: reference) == [])
        #expect(found.count >= 30 && found.thresh.allSatisfy { $0 == 10.5 })
        let last = found.ymax.map { $0 == 209 }, right = found.xmax.map { $0 == 149 }
        #expect(last.count(where: { $0 }) >= 6 && right.count(where: { $0 }) >= 6)
    }

    @Test("a blend at any edge is divided under the matched filter as in the mirrored image")
    func mirrored() throws {
        let image = Self.blends()
        var mirror = image
        mirror.pixels.reverse()
        var parameters = ScanParameters()
        (parameters.filter, parameters.noise) = (.matched, .map)
        func stars(_ image: TestImage) throws -> [(x: Double, y: Double)] {
            let sources = try Self.scan(image, parameters)
            return sources.x.indices.filter { sources.peak[$0] > 500 }.map { (sources.x[$0], sources.y[$0]) }
        }
        let (found, other) = (try stars(image), try stars(mirror))
        #expect(found.count == other.count && found.count >= 30)
        // The meshes of the background lie elsewhere.
        for star in found {
            #expect(other.contains { abs(149 - $0.x - star.x) < 0.3 && abs(209 - $0.y - star.y) < 0.3 })
        }
    }

    private struct Found {
        var key: IslandKey
        var sources: SourceTable
        /// The least noise of its pixels, and that of the pixel behind it; 0 beyond the edges.
        var least: Float
        var behind: Float
    }

    /// The islands of an image, and the noise that may decide about their thresholds.
    private static func islands(
        _ view: PixelView, _ slice: BackgroundSlice, _ parameters: ScanParameters
    ) throws -> [Found] {
        let rect = view.rect
        let window = try PreparedPixels.subtracting(slice, from: view)
        window.hideMaskedPixels()
        guard let noise = window.noiseMap else { return [] }
        let catalog = try IslandExtraction(window, parameters: parameters)
        var found: [Found] = []
        for island in catalog.islands {
            let (x, y) = (Int(island.key.column) + 1, Int(island.key.row) + 1)
            let (first, end) = (island.objects.lowerBound, island.objects.upperBound)
            var least = Float.infinity
            catalog.withArrays { arrays in
                for place in catalog.pixelOffsets[first]..<catalog.pixelOffsets[end] {
                    least = min(least, noise[Int(arrays.pixels[place])])
                }
            }
            found.append(
                Found(
                    key: island.key, sources: catalog.table(of: [island.objects]), least: least,
                    behind: x < rect.width && y < rect.height ? noise[y * rect.width + x] : 0))
        }
        return found
    }

    @Test(
        "the threshold of an island is the lowest of its pixels' with SExtractor's columns, and else if what lies behind it is masked or no pixel",
        arguments: [false, true])
    func threshold(hasColumns: Bool) throws {
        var (islands, changed, unchanged) = (0, 0, 0)
        for seed in UInt64(1)...60 {
            let field = RandomField(seed: seed)
            let image = field.image
            var parameters = field.parameters
            parameters.measurements = hasColumns ? MeasurementRequest() : nil
            let isMasked = try image.withView { $0.maskedCount } == image.pixels.count
            guard parameters.noise != .global, !isMasked else { continue }
            let serial = try SerialScan(width: image.width, height: image.height, parameters: field.parameters)
            let slice = try image.withView(serial.run).background.slice(rows: image.rect.y)
            let found = try image.withView { try Self.islands($0, slice, parameters) }
            let others = try FaultsOfSEP.$areKept.withValue(true) {
                try image.withView { try Self.islands($0, slice, parameters) }
            }
            #expect(found.map(\.key) == others.map(\.key), "seed \(seed)")
            for (island, other) in zip(found, others) {
                islands += 1
                let isRead = !hasColumns && island.behind > 0 && island.behind < 1e30
                let expected = Float(parameters.threshold) * (isRead ? island.behind : island.least)
                #expect(island.sources.thresh.allSatisfy { $0 == expected }, "seed \(seed)")
                guard island.sources.thresh == other.sources.thresh else {
                    changed += 1
                    continue
                }
                unchanged += 1
                #expect(island.sources.differences(to: other.sources, .exact) == [], "seed \(seed)")
            }
        }
        #expect(islands > 60 && changed > 3, "\(islands), \(changed)")
        #expect(hasColumns || unchanged > 20, "\(unchanged)")
    }

    @Test("masked pixels of the first rows are masked: the catalogue is that of an image with 0 in their place")
    func maskedFirstRows() throws {
        var (sources, different) = (0, 0)
        for seed in UInt64(1)...50 {
            var field = RandomField(seed: seed)
            guard field.image.mask != nil else { continue }
            field.parameters.noise = .global
            field.image.weights = nil
            if field.parameters.filter == .matched { field.parameters.filter = .conv }
            // A hot pixel.
            field.image.mask?[0] = 1
            field.image.pixels[0] += 1e5
            if try field.image.withView({ $0.maskedCount }) == field.image.pixels.count { continue }
            let found = try Self.scan(field.image, field.parameters, rows: field.rows)
            let (image, parameters) = (field.image, field.parameters)
            let reference = try WholeImageSEP(image: image, parameters: parameters, hidesMasked: true).run()
            #expect(found.differences(to: reference, .exceptHalfFluxRadius) == [], "seed \(seed)")
            sources += found.count
            if try WholeImageSEP(image: image, parameters: parameters).run().differences(to: reference) != [] {
                different += 1
            }
        }
        #expect(sources > 50 && different > 1, "\(sources), \(different)")
    }
}
