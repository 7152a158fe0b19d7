import CommandLineKit
import Foundation
import Testing

/// Images that lie on a node.
@Suite("images on nodes", .serialized) struct NodeImageTests {
    let scene: Scene
    let image: String
    let near: Node
    let far: Node

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("data"), withIntermediateDirectories: true)
        image = try scene.sky("data/sky.fits", size: "1000x1500")
        near = try Node("near", ["--data", scene.path("data")])
        far = try Node("far", [])
    }

    private func words(_ name: String, _ output: String, _ further: [String] = []) -> [String] {
        ["scan", name, "--band", "128", "--no-journal", "--json", "-o", scene.path(output)]
            + ["--node", near.address, "--node", far.address] + further
    }

    private func expected(_ path: String) throws -> Data {
        let result = try Program.run(
            ["scan", path, "--band", "128", "--no-journal", "-o", scene.path("expected.csv"), "--overwrite"])
        try #require(result.code == 0, "\(result.errors)")
        return try scene.bytes("expected.csv")
    }

    @Test("have names that can be shown, and the node does not say where catalogues are written")
    func strangeNames() throws {
        let odd = scene.path("data/x\u{1b}]0;odd\u{7}.fits")
        try FileManager.default.copyItem(atPath: image, toPath: odd)
        let result = try Program.run(
            words("near:\(scene.path("data"))/*.fits", "out/", ["--merged", scene.path("all.csv")]))
        #expect(result.code == ExitCode.partialCatalogue.rawValue)
        #expect(result.errors.contains("x\u{fffd}]0;odd\u{fffd}.fits"), "\(result.errors)")
        #expect(!(result.errors + result.output).contains("\u{1b}]"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.path("out")) == ["sky.fits"])
        #expect(try !scene.bytes("all.csv").contains(0x1b))
        let open = try Program.run(words("near:/*/*.fits", "{dir}/x-{stem}.fits"))
        #expect(open.code == ExitCode.usage.rawValue && open.errors.contains("omit {dir}"), "\(open.errors)")
    }

    @Test("are read there, and the catalogue is that of the file", arguments: [0, 1])
    func single(localSlots: Int) throws {
        let result = try Program.run(words("near:\(image)", "out/o.csv", ["--local-slots", "\(localSlots)"]))
        #expect(result.code == 0, "\(result.errors)")
        #expect(try scene.bytes("out/o.csv") == expected(image))
    }

    @Test("are selected by their headers, and by ** at any depth; a table is left out")
    func selected() throws {
        try FileManager.default.createDirectory(atPath: scene.path("data/deep/er"), withIntermediateDirectories: true)
        for filter in ["g", "r"] {
            _ = try scene.image(
                "data/deep/er/\(filter).fits", axes: [40, 40], samples: Array(repeating: 1, count: 1600),
                cards: ["FILTER  = '\(filter)'"])
        }
        _ = try scene.table("data/deep/stars.fits")
        let pattern = "near:\(scene.path("data"))/**/*.fits"
        let result = try Program.run(words(pattern, "out/", ["--where", "FILTER = 'r'"]))
        #expect(result.code == 0 && scene.outputs == ["r.fits"], "\(result.errors)")
        #expect(
            result.errors.contains("2 left out by --where (1 for want of a card that it names), 1 left out without an"))
        let all = try Program.run(words(pattern, "out/", ["--overwrite"]))
        #expect(all.code == 0 && scene.outputs == ["g.fits", "r.fits", "sky.fits"], "\(all.errors)")
    }

    @Test("are not moved if no other system may take part")
    func unmoved() throws {
        let result = try Program.run(
            ["scan", "near:\(image)", "--band", "128", "--no-journal", "-o", scene.path("out/o.csv")]
                + ["--node", near.address, "--local-slots", "0"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.errors.contains(", those of 0 tasks sent"), "\(result.errors)")
        #expect(try scene.bytes("out/o.csv") == expected(image))
    }

    @Test("may be several by a pattern, and extensions of a mosaic; a page shows them")
    func pattern() throws {
        let mosaic = try scene.mosaic("data/mosaic.fits", count: 3)
        let result = try Program.run(
            words("near:\(scene.path("data"))/*.fits", "out/", ["--report", scene.path("pages/")]))
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs == ["mosaic.fits", "sky.fits"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.path("pages")).count > 1)
        let one = try Program.run(words("near:\(mosaic)[CCD2]", "out/ccd.csv"))
        #expect(one.code == 0, "\(one.errors)")
        #expect(try scene.bytes("out/ccd.csv") == expected("\(mosaic)[CCD2]"))
    }

    @Test("that cannot be read are reported with the node and the cause")
    func errors() throws {
        _ = try scene.write(Array("a list of stars".utf8), "data/text.fits")
        let outside = try scene.sky("outside.fits")
        let data = scene.path("data")
        for (name, cause) in [
            ("none:\(image)", "node none: no such node: the nodes are far, near"),
            ("near:\(outside)", "node near: \(outside): is not below a folder of --data of the node"),
            ("near:\(outside).none", "node near: \(outside).none: is not below a folder of --data of the node"),
            ("near:\(data)/none.fits", "node near: \(data)/none.fits: no such file"),
            (
                "near:\(data)/x*.fits",
                "node near: \(data)/x*.fits: no file below the folders of --data of the node matches"
            ),
            ("near:\(data)/text.fits", "node near: \(data)/text.fits: "),
            ("near:\(image)[7]", "node near: \(image)[7]: no such HDU"),
            ("far:\(image)", "node far: reads no such file: start it with --data FOLDER"),
        ] {
            let result = try Program.run(words(name, "out/o.csv"))
            #expect(result.code == ExitCode.input.rawValue, "\(name): \(result.errors)")
            #expect(result.errors.contains(cause), "\(name): \(result.errors)")
            #expect(!result.errors.contains("/proc/self"), "\(result.errors)")
        }
        let mask = try Program.run(words("near:\(image)", "out/o.csv", ["--mask", image]))
        #expect(mask.code == ExitCode.usage.rawValue && scene.outputs.isEmpty)
    }
}
