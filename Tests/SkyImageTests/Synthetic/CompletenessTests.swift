import ScanBasics
import Testing

import SkySynthetic

@Suite struct CompletenessTests {
    typealias Position = Completeness.Position

    @Test("the nearest pairs are made first, one to one")
    func pairs() {
        let truth = [Position(x: 0, y: 0, signalToNoise: 20), Position(x: 2, y: 0, signalToNoise: 5)]
        // The only row is nearer to the faint source, so the bright one counts as missing.
        let one = Completeness(truth: truth, catalogue: [Position(x: 1.5, y: 0)], radius: 3, minimum: 10)
        #expect((one.expected, one.recovered, one.detected, one.spurious) == (1, 0, 1, 0))
        #expect(one.share == 0)
        let two = Completeness(
            truth: truth, catalogue: [Position(x: 1.5, y: 0), Position(x: 1.6, y: 0)], radius: 3, minimum: 10)
        #expect((two.recovered, two.spurious, two.share) == (1, 0, 1))
    }

    @Test("rows near no source are spurious, whatever side of a cell's border they lie on")
    func borders() {
        let truth = [Position(x: -0.1, y: 2.9, signalToNoise: 11), Position(x: 30, y: 30, signalToNoise: 11)]
        let catalogue = [Position(x: 0.1, y: 3.1), Position(x: 33.1, y: 30)]
        let result = Completeness(truth: truth, catalogue: catalogue, radius: 3, minimum: 10)
        #expect((result.recovered, result.spurious, result.spuriousShare) == (1, 1, 0.5))
    }

    @Test("nothing expected is complete, nothing detected is not spurious")
    func nothing() {
        let result = Completeness(truth: [], catalogue: [], radius: 1, minimum: 10)
        #expect(result.share == 1 && result.spuriousShare == 0)
    }

    @Test("agrees with the comparison of all pairs on a random field")
    func oracle() {
        var generator = SplitMix64(seed: 11)
        func field(_ count: Int) -> [Position] {
            (0..<count).map { _ in
                Position(
                    x: generator.uniform(in: -20...60), y: generator.uniform(in: -20...60),
                    signalToNoise: generator.uniform(in: 0...20))
            }
        }
        let (truth, catalogue) = (field(200), field(150))
        var pairs: [(Double, Int, Int)] = []
        for (i, a) in truth.enumerated() {
            for (j, b) in catalogue.enumerated() {
                let square = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
                if square <= 16 { pairs.append((square, i, j)) }
            }
        }
        var (left, right) = (Set<Int>(), Set<Int>())
        for (_, i, j) in pairs.sorted(by: <) where !left.contains(i) && !right.contains(j) {
            left.insert(i)
            right.insert(j)
        }
        let result = Completeness(truth: truth, catalogue: catalogue, radius: 4, minimum: 10)
        #expect(result.recovered == left.count { truth[$0].signalToNoise >= 10 })
        #expect(result.spurious == 150 - right.count)
    }

    @Test("a table is read by the names of its columns")
    func table() throws {
        let positions = try Position.read(csv: "# made by hand\nnumber,y,x,snr\r\n1,2.5,3.5,10\n2,4,5,\n")
        #expect(positions == [Position(x: 3.5, y: 2.5, signalToNoise: 10), Position(x: 5, y: 4)])
        #expect(try Position.read(csv: "x,y\n").isEmpty)
    }

    @Test(
        "a table that cannot be read is reported with its line",
        arguments: [
            ("", "expected a header with the columns x and y"),
            ("a,b\n1,2", "line 1: expected a header with the columns x and y"),
            ("x,y\n1", "line 2: x and y must be finite numbers"),
            ("x,y\n1,2\nnan,1", "line 3: x and y must be finite numbers"),
        ])
    func errors(text: String, message: String) {
        #expect(throws: Position.TableError(description: message)) { try Position.read(csv: text) }
    }

    @Test("a written truth reads back")
    func truth() throws {
        let sky = SyntheticSky(.init(width: 300, height: 100))
        let text = SyntheticTruth.header + sky.sources.map { SyntheticTruth.line($0, of: sky) }.joined()
        let positions = try Position.read(csv: text)
        #expect(positions.count == sky.sources.count)
        for (position, source) in zip(positions, sky.sources) {
            #expect(abs(position.x - source.x) < 1e-4 && abs(position.y - source.y) < 1e-4)
        }
    }
}
