import Foundation
import SkyTestSupport
import Testing

/// One command for a night of real and synthetic images, each of which has the catalogue of a scan of its own.
@Suite("a night of images", .serialized) struct NightTests {
    let scene: Scene
    /// Synthetic images, and two files of eight.
    let synthetic: [String]
    let mosaics: [String]

    init() throws {
        let scene = try Scene()
        self.scene = scene
        let skies = try (1...8).map { number in
            try scene.sky(
                "sky\(number).fits", size: "\(1400 + 60 * number)x\(1500 - 50 * number)",
                ["--seed", "\(number)", "--type", number % 2 == 0 ? "u16" : "f32"])
        }
        synthetic = Array(skies.prefix(4))
        let files = try skies.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        mosaics = [
            try scene.write(try FITSParts.mosaic(of: files), "mosaic1.fits"),
            try scene.write(try FITSParts.mosaic(of: files.reversed()), "mosaic2.fits"),
        ]
    }

    /// What the tests read of `--json`.
    private struct Document: Decodable {
        struct File: Decodable {
            var file: String
            var images: [Image]
        }

        struct Image: Decodable {
            struct Missing: Decodable {}
            var missing: [Missing]
        }

        struct Share: Decodable {
            var name: String
            var tasks: Int
        }

        var files: [File]
        var done: Int
        var failed: Int
        var systems: [Share]
    }

    /// The sky images, and frames of less than 0.3 MB, so that the test remains short; those that are installed.
    private var real: [String] {
        let frames = MidasFrames.paths.filter { path in
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return (size ?? .max) < 300_000
        }
        return RealImages.sky.map(\.path) + frames
    }

    /// Bands that make many tasks. The last bits of some columns depend on the bands.
    private let bands = ["--band", "256"]

    /// Starts the scan of all files into the folder `name`.
    private func start(_ files: [String], into name: String, on nodes: [Node], _ further: [String] = []) throws
        -> Program
    {
        try Program(
            ["scan"] + files + ["-o", scene.path("\(name)/"), "--local-slots", "1", "--json", "--progress", "json"]
                + nodes.flatMap { ["--node", $0.address] } + further)
    }

    /// Every file has a catalogue in the folder `name`, which is that in the folder `alone`; there is nothing else.
    private func expectWhole(_ result: Program.Result, _ name: String, _ files: [String]) throws -> Document {
        #expect(result.code == 0, "\(result.errors)")
        let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
        #expect(document.done == files.count && document.failed == 0)
        #expect(Set(document.files.map(\.file)) == Set(files))
        #expect(document.files.allSatisfy { $0.images.allSatisfy { $0.missing.isEmpty } })
        let catalogues = try FileManager.default.contentsOfDirectory(atPath: scene.path(name)).sorted()
        #expect(try catalogues == FileManager.default.contentsOfDirectory(atPath: scene.path("alone")).sorted())
        #expect(catalogues.count == files.count)
        for catalogue in catalogues {
            #expect(try scene.bytes("\(name)/\(catalogue)") == scene.bytes("alone/\(catalogue)"), "\(catalogue)")
        }
        return document
    }

    @Test("has the catalogues of its images alone, in any order, and with one node killed and another stopped")
    func equal() throws {
        let files = real + synthetic + mosaics
        for file in files {
            let alone = try Program.run(
                ["scan", file, "-o", scene.path("alone/{stem}.fits"), "--local-slots", "2", "--no-journal"] + bands)
            #expect(alone.code == 0, "\(alone.errors)")
        }
        let nodes = [try Node("first"), try Node("second")]
        let calm = try start(files, into: "calm", on: nodes, bands).finish()
        #expect(try Set(expectWhole(calm, "calm", files).systems.map(\.name)) == ["first", "second", "local"])

        let program = try start(files.reversed(), into: "faulty", on: nodes, bands)
        for (node, (count, signal)) in zip(nodes, [(30, SIGKILL), (90, SIGSTOP)]) {
            try program.waitForErrors(#""tasksDone":\#(count),"#)
            node.program.send(signal)
        }
        let result = try program.finish()
        let document = try expectWhole(result, "faulty", files)
        #expect(Set(document.systems.map(\.name)).isSuperset(of: ["first", "second"]))
        #expect(result.errors.contains("skyfarm: node first left; its tasks are reassigned\n"), "\(result.errors)")
        // The stopped node's tasks may be done by this machine before its silence has lasted long enough.
        let isNamed = result.errors.contains("skyfarm: node second left; its tasks are reassigned\n")
        let isOvertaken = result.errors.contains(/"event":"hedged",.*"slow":"second",.*"system":"local"/)
        #expect(isNamed || isOvertaken, "\(result.errors)")
    }

    @Test("has in the tables of a mosaic file the rows and the header of each extension alone, but for its name")
    func mosaicTables() throws {
        func value(_ card: String) -> String { card.prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces) }
        let nodes = [try Node("first"), try Node("second")]
        let result = try start(mosaics + synthetic, into: "out", on: nodes).finish()
        #expect(result.code == 0, "\(result.errors)")
        let path = mosaics[0]
        let tables = try FITSParts(try scene.bytes("out/mosaic1.fits")).units
        try #require(tables.count == 9)
        for number in 1...8 {
            let alone = try Program.run(
                ["scan", "\(path)[\(number)]", "-o", scene.path("alone\(number).fits"), "--local-slots", "2"])
            #expect(alone.code == 0, "\(alone.errors)")
            let units = try FITSParts(try scene.bytes("alone\(number).fits")).units
            try #require(units.count == 2)
            #expect(units[0] == tables[0])
            let (own, table) = (units[1], tables[number])
            #expect(own.integer("NAXIS2").map { $0 > 20 } == true && own.data == table.data, "extension \(number)")
            // The other cards are the same, in the same order.
            let further = table.cards.filter { !own.cards.contains($0) }
            let missing = own.cards.filter { !table.cards.contains($0) }
            #expect(further.map(value) == ["EXTNAME = 'CCD\(number)    '", "EXTVER  =                    1"])
            #expect(missing.map(value) == ["EXTNAME = 'CATALOGUE'"])
            #expect(table.cards.filter { !further.contains($0) } == own.cards.filter { !missing.contains($0) })
        }
    }
}
