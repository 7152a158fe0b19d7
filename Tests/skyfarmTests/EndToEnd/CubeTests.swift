import Foundation
import Testing

@Suite("planes of a cube are images of their own")
struct CubeTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    /// Three skies of 160 x 150 with the same cards, each as a file, and a cube of them with further axes.
    private func cube(_ axes: [Int]) throws -> (cube: String, planes: [String]) {
        let skies = try (1...3).map { seed in
            let path = try scene.sky("s\(seed).fits", size: "160x150", ["--seed", "\(seed)", "--density", "2000"])
            return try FITSParts(Data(contentsOf: URL(fileURLWithPath: path))).units[0]
        }
        let cards = skies[0].cards.filter { card in
            !["SIMPLE", "BITPIX", "NAXIS", "EXTEND"].contains { card.hasPrefix($0) }
        }
        let samples = skies.map { sky in
            sky.data.withUnsafeBytes { bytes in
                (0..<160 * 150).map {
                    Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
                }
            }
        }
        let planes = try samples.enumerated().map { index, samples in
            try scene.image("p\(index).fits", axes: [160, 150], samples: samples, cards: cards)
        }
        let whole = samples.flatMap(\.self)
        return (try scene.image("cube.fits", axes: [160, 150] + axes, samples: whole, cards: cards), planes)
    }

    private func scan(_ image: String, _ further: [String]) throws -> Program.Result {
        try Program.run(["scan", image, "--no-discovery", "--no-journal", "--overwrite"] + further)
    }

    @Test("the catalogue of a plane has the bytes of the plane's as a file of its own")
    func planes() throws {
        let (cube, planes) = try cube([3])
        let all = try scan(cube, ["-o", scene.path("out/c.{ext}.csv")])
        #expect(all.code == 0, "\(all.errors)")
        #expect(scene.outputs == ["c.0.1.csv", "c.0.2.csv", "c.0.3.csv"])
        var different: Set<Data> = []
        for (index, plane) in planes.enumerated() {
            let wanted = scene.path("out/\(index).csv")
            #expect(try scan(plane, ["-o", wanted]).code == 0)
            let one = try scan("\(cube)[0][\(index + 1)]", ["-o", scene.path("out/one.csv")])
            #expect(one.code == 0, "\(one.errors)")
            let bytes = try scene.bytes("out/\(index).csv")
            #expect(try scene.bytes("out/one.csv") == bytes)
            #expect(try scene.bytes("out/c.0.\(index + 1).csv") == bytes)
            different.insert(bytes)
        }
        #expect(different.count == 3)
    }

    @Test("the planes of other cubes are asked for; CSV has a column of them")
    func asked() throws {
        let (cube, _) = try cube([1, 3])
        let without = try scan(cube, ["-o", scene.path("out/c.csv")])
        #expect(without.code == 5 && without.errors.contains("--plane all"), "\(without.errors)")
        let joined = try scan(cube, ["--plane", "all", "-o", scene.path("out/c.csv")])
        #expect(joined.code == 0, "\(joined.errors)")
        let lines = try String(decoding: scene.bytes("out/c.csv"), as: UTF8.self).split(separator: "\n")
        #expect(lines.first?.hasPrefix("hdu,extname,plane,") == true)
        #expect(
            Set(lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false)[2] }) == [
                "1", "2", "3",
            ])
        let second = try scan(cube, ["--plane", "2", "-o", scene.path("out/{stem}_{extname}.csv")])
        #expect(second.code == 0 && scene.outputs.contains("cube_0.2.csv"), "\(second.errors) \(scene.outputs)")
        #expect(try scan(cube, ["--plane", "0", "-o", scene.path("out/x.csv")]).code == 2)
    }

    @Test("{ext} and {extname} are the only image's number and name, too, and --skip-hdu takes numbers")
    func only() throws {
        let mosaic = try scene.mosaic("m.fits", count: 3)
        let two = try scan(mosaic, ["-o", scene.path("out/{ext}{extname}.csv"), "--skip-hdu", "2"])
        #expect(two.code == 0 && scene.outputs == ["1CCD1.csv", "3CCD3.csv"], "\(two.errors)")
        let one = try scan(try scene.mosaic("o.fits", count: 1), ["-o", scene.path("out/only_{ext}{extname}.csv")])
        #expect(one.code == 0 && scene.outputs.contains("only_1CCD1.csv"), "\(one.errors) \(scene.outputs)")
    }
}
