import Foundation
import SkyTestSupport
import Testing

import SkyMeasurement

@Suite("check images of random fields")
struct SegmentationTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(UInt64.init) ?? 1
    /// `scripts/soak` takes 1,000 or more.
    static let cases = (ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_CASES"].flatMap(UInt64.init) ?? 80) / 2

    private static func scan(_ field: RandomField, rows: Int) throws -> SerialScan.Result {
        try field.image.withView(
            SerialScan(
                width: field.image.width, height: field.image.height, parameters: field.parameters, requestedRows: rows
            ).run)
    }

    private static func strips(_ result: SerialScan.Result, _ field: RandomField) throws -> CheckImageStrips {
        let outlines = result.sources.x.indices.compactMap { index in
            ApertureOutline(
                x: result.sources.x[index], y: result.sources.y[index], a: Double(result.sources.a[index]),
                b: Double(result.sources.b[index]), theta: Double(result.sources.theta[index]), radius: 3)
        }
        return CheckImageStrips(
            background: result.background, segments: try #require(result.segments), outlines: outlines,
            parameters: field.parameters)
    }

    /// The field of a seed, whose scan returns pixels; nil if all of it is masked.
    private static func field(_ seed: UInt64) throws -> RandomField? {
        var field = RandomField(seed: seed)
        field.parameters.returnsPixels = true
        let area = field.image.width * field.image.height
        return try field.image.withView({ $0.maskedCount }) == area ? nil : field
    }

    @Test("every number of a pixel is in the catalogue, and has its pixels there, for all heights of bands")
    func numbers() throws {
        var (sources, absorbed, scans) = (0, 0, 0)
        for seed in Self.first..<Self.first + Self.cases {
            guard let field = try Self.field(seed) else { continue }
            let (height, mesh) = (field.image.height, field.parameters.meshHeight)
            var known: [[Int32]]?
            for rows in stride(from: mesh, to: height + mesh, by: mesh) {
                let result = try Self.scan(field, rows: rows)
                let strips = try Self.strips(result, field)
                let numbers = (0..<height).map(strips.numbers)
                #expect(numbers == known ?? numbers, "seed \(seed): bands of \(rows) rows")
                scans += 1
                if known != nil { continue }
                known = numbers
                let counts = Self.counts(numbers)
                let expected = (0..<result.sources.count).map { Int32($0 + 1) }
                #expect(Set(counts.keys) == Set(expected), "seed \(seed)")
                for index in 0..<result.sources.count {
                    // Those of detections that cleaning removed belong to the sources that they are due to.
                    let more = (counts[Int32(index + 1)] ?? 0) - Int(result.sources.npix[index])
                    #expect(more >= 0, "seed \(seed): source \(index)")
                    absorbed += more
                }
                if result.removed == 0 {
                    let all = result.sources.npix.map(Int.init).reduce(0, +)
                    #expect(counts.values.reduce(0, +) == all)
                }
                sources += result.sources.count
            }
        }
        print("\(Self.cases) fields: \(sources) sources, \(scans) scans, \(absorbed) pixels of removed detections")
        #expect(sources > 200 && absorbed > 0 && scans > Int(Self.cases))
    }

    private static func counts(_ numbers: [[Int32]]) -> [Int32: Int] {
        var counts: [Int32: Int] = [:]
        for row in numbers { for number in row where number > 0 { counts[number, default: 0] += 1 } }
        return counts
    }

    @Test("images do not depend on strips, and agree with each other")
    func samples() throws {
        let images: [CheckImage] = [
            .background, .noise, .subtracted, .filtered, .objects, .withoutObjects, .apertures,
        ]
        for seed in Self.first..<Self.first + Self.cases / 2 {
            guard var field = try Self.field(seed) else { continue }
            if field.parameters.filter == .matched { field.parameters.filter = .conv }
            let result = try Self.scan(field, rows: field.rows)
            let (strips, height) = (try Self.strips(result, field), field.image.height)
            func samples(_ rows: Range<Int>) throws -> [[Float]] {
                try field.image.withView { view in
                    try strips.samples(of: images, rows: rows, view.cropped(to: strips.window(of: rows)))
                }
            }
            func bits(_ samples: [Float]) -> [UInt32] { samples.map(\.bitPattern) }
            let whole = try samples(0..<height)
            var parts = [[Float]](repeating: [], count: images.count)
            for start in stride(from: 0, to: height, by: 41) {
                for (index, part) in try samples(start..<min(start + 41, height)).enumerated() { parts[index] += part }
            }
            for (index, image) in images.enumerated() {
                #expect(bits(parts[index]) == bits(whole[index]), "seed \(seed): \(image)")
            }
            let numbers = (0..<height).flatMap(strips.numbers)
            let (background, subtracted) = (whole[0], whole[2])
            let threshold = Float(field.parameters.threshold) * result.background.globalNoise
            let isPlain = result.background.maskedPixels == 0 && field.parameters.noise == .global
            let wrong = numbers.indices.filter { place in
                let value = field.image.pixels[place] - background[place]
                let isSource = numbers[place] > 0
                if value.isNaN { return false }
                return subtracted[place] != value || whole[4][place] != (isSource ? value : 0)
                    || whole[5][place] != (isSource ? 0 : value) || whole[6][place] < value
                    // Every pixel of a source is above the threshold after the filter.
                    || isPlain && isSource && !(whole[3][place] > threshold)
            }
            #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) pixels")
        }
    }
}
