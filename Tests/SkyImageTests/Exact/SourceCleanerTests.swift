import ScanBasics
import SkyTestSupport
import Testing

import SkyExtraction
import SkyMeasurement

@Suite("cleaning")
struct SourceCleanerTests {
    @Test("the survivors are those of SEP's own cleaning", arguments: UInt64(1000)..<1020)
    func equalsSEP(seed: UInt64) throws {
        var field = RandomField(seed: seed)
        field.image.mask = nil
        field.parameters.threshold = 1
        field.parameters.minArea = 3
        for clean in [0.5, 1, 3] {
            field.parameters.clean = clean
            let reference = try WholeImageSEP(image: field.image, parameters: field.parameters).run()
            let scan = try SerialScan(
                width: field.image.width, height: field.image.height, parameters: field.parameters)
            let result = try FaultsOfSEP.$areKept.withValue(true) { try field.image.withView(scan.run) }
            #expect(result.sources.cflux == reference.cflux, "seed \(seed), clean \(clean)")
        }
    }

    private typealias Line = [(x: Double, flux: Float)]

    /// Round sources of one pixel's width on a line, in the order in which they end.
    private static func batch(_ line: Line) -> SourceBatch {
        var batch = SourceBatch.uniform(count: line.count)
        batch.sources.x = line.map(\.x)
        batch.sources.cflux = line.map(\.flux)
        batch.sources.cxy = line.map { _ in 0 }
        batch.sources.npix = line.map { _ in 10 }
        batch.mthresh = line.map { _ in 2 }
        batch.pixels.count = line.map { _ in 0 }
        return batch
    }

    private static func line(_ line: Line) -> SourceCleaner {
        SourceCleaner(batch(line), order: Array(line.indices), parameter: 1)
    }

    // Above 2, the wing of a flux of 100 reaches 1.22 pixels, that of 160 in 20 pixels 1.75.
    private static let three: Line = [(10, 100), (11, 60), (8.5, 30)]

    @Test("SExtractor's wing is that of a source with all that were merged into it, SEP's that of the source alone")
    func merging() {
        let alone = Self.line([Self.three[0], Self.three[2]])
        #expect(alone.clean().survivors == [0, 1] && alone.merge().survivors == [0, 1])
        let cleaner = Self.line(Self.three)
        #expect(cleaner.clean().survivors == [0, 2] && cleaner.merge().survivors == [0])
        #expect(cleaner.merge().absorbers == [nil, 0, 0])
        // The brighter source comes second.
        #expect(Self.line([Self.three[1], Self.three[0], Self.three[2]]).merge().absorbers == [1, nil, 1])
    }

    @Test("many sources, whose pairs several processors find, are cleaned as one after the other")
    func many() {
        var random = SplitMix64(seed: 7)
        let line: Line = (0..<6000).map { _ in
            (.random(in: 0...4000, using: &random), .random(in: 20...3000, using: &random))
        }
        let cleaner = Self.line(line)
        var survives = [Bool](repeating: true, count: line.count)
        for one in line.indices where survives[one] {
            for other in one + 1..<line.count where survives[other] && abs(line[one].x - line[other].x) < 100 {
                guard let (dx, dy) = cleaner.distance(one, other) else { continue }
                let isFirst = cleaner.profiles[other].flux < cleaner.profiles[one].flux
                let (winner, loser) = isFirst ? (one, other) : (other, one)
                guard cleaner.profiles[winner].swallows(dx, dy, cleaner.mthresh[loser]) else { continue }
                survives[loser] = false
            }
        }
        let cleaned = cleaner.clean()
        #expect(cleaned.survivors == line.indices.filter { survives[$0] })
        #expect(cleaned.absorbers.map { $0 == nil } == survives)
        #expect((100..<line.count - 100).contains(cleaned.survivors.count))
    }

    @Test("a source that is merged on its arrival removes none of those before it")
    func mergedOnArrival() {
        #expect(Self.line([(12, 20), (10, 200), (11, 60)]).merge().absorbers == [nil, nil, 1])
    }

    @Test("a catalogue with SExtractor's columns is cleaned as SExtractor does, the others as SEP does")
    func assembly() {
        var parameters = ScanParameters()
        #expect(CatalogAssembly(Self.batch(Self.three), parameters: parameters).sources.x == [10, 8.5])
        parameters.measurements = MeasurementRequest()
        #expect(CatalogAssembly(Self.batch(Self.three), parameters: parameters).sources.x == [10])
    }

    @Test("a source is merged into the first of those before it, or else into the first brighter one after it")
    func order() {
        #expect(Self.line([(11.1, 100), (9, 120), (10, 20)]).merge().absorbers == [nil, nil, 0])
        #expect(Self.line([(10, 20), (11.1, 100), (9, 120)]).merge().absorbers == [1, nil, nil])
    }

    @Test("the grid finds every pair within reach", arguments: UInt64(0)..<40)
    func pairs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 0...300, using: &random)
        var x = (0..<count).map { _ in Double.random(in: 0...5000, using: &random) }
        let y = (0..<count).map { _ in Double.random(in: 0...300, using: &random) }
        let a = (0..<count).map { _ in Float.random(in: 0...1, using: &random) * (seed % 2 == 0 ? 5 : 90) }
        if count > 3 { (x[0], x[1], x[2]) = (.nan, -5, 1e30) }
        let grid = NeighbourGrid(x: x, y: y, sizes: a, zone: 10)
        func isBeyondReach(_ first: Int, _ second: Int) -> Bool {
            let (dx, dy) = (x[first] - x[second], y[first] - y[second])
            let reach = 10 * Double(a[first] + a[second])
            return dx * dx + dy * dy > reach * reach
        }
        for index in 0..<count {
            var (later, earlier): ([Int], [Int]) = ([], [])
            grid.forEach(after: index) { later.append($0) }
            grid.forEach(before: index) { earlier.append($0) }
            let found = Set(later + earlier)
            #expect(found.count == later.count + earlier.count)
            #expect(later.allSatisfy { $0 > index } && earlier.allSatisfy { $0 < index })
            for other in 0..<count where other != index && !found.contains(other) {
                #expect(isBeyondReach(index, other))
            }
        }
    }
}
