import Foundation
import SkyFITS
import SkySynthetic
import SkyTestSupport
import Testing

/// `skyfarm scan --trails` on skies with trails, against the truth and for any cluster.
@Suite("a scan that looks for trails", .serialized, .timeLimit(.minutes(10))) struct TrailTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        try frame("a", trail: ((-1, 120), (540, 330)), seed: 1)
        try frame("b", trail: ((400, -1), (210, 500)), seed: 2)
        try frame("c", trail: nil, seed: 3)
    }

    private let width = 540
    private let height = 500

    /// A synthetic sky with a trail of about 3 times the noise of a pixel, of which a corner has no samples.
    private func frame(
        _ name: String, trail: (from: (Double, Double), to: (Double, Double))?, seed: Int
    ) throws {
        let options = ["--seed", "\(seed)", "--density", "2000", "--overwrite"]
        let sky = try FITSImage(try scene.sky("sky.fits", size: "\(width)x\(height)", options))
        var pixels = [Float](repeating: 0, count: width * height)
        try pixels.withUnsafeMutableBufferPointer { try sky.read(rows: 0..<height, into: $0) }
        var light = [Double](repeating: 0, count: width * height)
        if let trail {
            let line = SyntheticTrail(
                from: .init(x: trail.from.0, y: trail.from.1), to: .init(x: trail.to.0, y: trail.to.1), fwhm: 3,
                peak: 50)
            light.withUnsafeMutableBufferPointer { line.add(to: $0, rows: 0..<height, width: width) }
        }
        for place in pixels.indices {
            let isCut = place % width + place / width < 60
            pixels[place] = isCut ? .nan : pixels[place] + Float(light[place])
        }
        _ = try scene.image("night/\(name).fits", axes: [width, height], samples: pixels)
    }

    private var environment: [String: String] { ["XDG_STATE_HOME": scene.path("state")] }

    private let formats = ["csv", "reg", "fits"]

    private func outputs(_ folder: String) -> [String] {
        formats.flatMap { ["-o", scene.path("\(folder)/{stem}.\($0)")] }
            + ["--trails", "flag", "--trails", scene.path("\(folder)/{stem}-trails.csv")]
    }

    @discardableResult private func run(_ words: [String]) throws -> Program.Result {
        let result = try Program.run(words, environment: environment)
        #expect(result.code == 0, "\(words): \(result.errors)")
        return result
    }

    /// The files of `folder` whose bytes are not those of the scan on one slot.
    private func differences(_ folder: String) throws -> [String] {
        try ["a", "b", "c"].flatMap { stem in formats.map { "\(stem).\($0)" } + ["\(stem)-trails.csv"] }
            .filter { try scene.bytes("\(folder)/\($0)") != scene.bytes("one/\($0)") }
    }

    /// The rows of a table of trails as numbers by name.
    private func table(_ name: String) throws -> [[String: Double]] {
        let lines = String(decoding: try scene.bytes(name), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let names = try #require(lines.first).map(String.init)
        return lines.dropFirst().map { values in
            Dictionary(zip(names, values.map { Double($0) ?? .nan })) { first, _ in first }
        }
    }

    @Test("finds them, flags their sources, and has the same bytes for any slots, bands and nodes")
    func equal() throws {
        let scan = ["scan", scene.path("night"), "--no-journal"]
        try run(scan + ["--local-slots", "1"] + outputs("one"))
        for (stem, ends) in [("a", [0.0, 120, 539, 330]), ("b", [400.0, 0, 210, 499])] {
            let trail = try #require(try table("one/\(stem)-trails.csv").first)
            let found = ["x1", "y1", "x2", "y2"].map { trail[$0] ?? .nan }
            let turned = [found[2], found[3], found[0], found[1]]
            let distance = [found, turned].map { zip($0, ends).map { ($0 - $1).magnitude }.max() ?? .infinity }.min()
            #expect((distance ?? .infinity) < 16, "\(stem): \(trail)")
        }
        #expect(try table("one/c-trails.csv").isEmpty)
        let flags = try table("one/a.csv").map { Int($0["flag"] ?? 0) & 512 }
        #expect(flags.contains(512) && flags.count { $0 != 0 } < flags.count / 2)
        for (index, further) in [
            ["--local-slots", "4"], ["--local-slots", "2", "--band", "64"], ["--local-slots", "3", "--band", "128"],
        ].enumerated() {
            try run(scan + further + outputs("other\(index)"))
            #expect(try differences("other\(index)") == [])
        }
    }

    @Test("has the same bytes with nodes, one of which is killed, and after a kill of the scan")
    func nodes() throws {
        try run(["scan", scene.path("night"), "--no-journal", "--local-slots", "1"] + outputs("one"))
        let nodes = try [Node("one"), Node("two"), Node("three")]
        let scan = ["scan", scene.path("night"), "--band", "64"] + nodes.flatMap { ["--node", $0.address] }
        let interrupted = InterruptedScan(words: scan, environment: environment)
        try interrupted.lose(nodes[1], outputs("loss"))
        #expect(try differences("loss") == [])
        try interrupted.killAndRepeat(outputs("killed"))
        #expect(try differences("killed") == [])
    }

    @Test("removes the parts of trails from every column and check image, and flags nothing unless asked")
    func removed() throws {
        let image = scene.path("night/a.fits")
        try run(["scan", image, "-o", scene.path("out/plain.csv")])
        try run(["scan", image, "-o", scene.path("out/flag.csv"), "--trails", "flag"])
        try run(["scan", image, "-o", scene.path("out/less.csv"), "--trails", "remove"])
        let (plain, flagged, less) = (
            try table("out/plain.csv"), try table("out/flag.csv"), try table("out/less.csv")
        )
        #expect(plain.allSatisfy { Int($0["flag"] ?? 0) & 512 == 0 })
        #expect(plain.count == flagged.count && less.count < flagged.count)
        // The sources that are left were there before.
        let places = Set(less.map { "\($0["x"] ?? 0) \($0["y"] ?? 0)" })
        #expect(flagged.filter { places.contains("\($0["x"] ?? 0) \($0["y"] ?? 0)") }.count == less.count)
        let parts = flagged.filter { !places.contains("\($0["x"] ?? 0) \($0["y"] ?? 0)") }
        #expect(parts.allSatisfy { Int($0["flag"] ?? 0) & 512 != 0 })
        // SExtractor's columns have the bit as well.
        try run(["scan", image, "-o", scene.path("out/sex.csv"), "--columns", "NUMBER,FLAGS", "--trails", "flag"])
        let own = try table("out/sex.csv").map { Int($0["FLAGS"] ?? 0) & 512 }
        #expect(own.contains(512) && own.contains(0))
    }

    /// But for limits of Docs/Trails.md: `ccd.fits` is filled by two galaxies, and `vimos.fits` has chip edges.
    @Test(
        "finds none in real frames",
        arguments: RealImages.all.filter { $0.isOnly && $0.name != "ccd.fits" && !$0.name.hasSuffix(".fz") })
    func real(_ image: RealImage) throws {
        try run(["scan", image.path, "-o", scene.path("out/real.csv"), "--trails", scene.path("out/trails.csv")])
        #expect(try table("out/trails.csv").isEmpty)
    }
}
