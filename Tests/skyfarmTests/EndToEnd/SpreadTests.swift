import ScanBasics
import CommandLineKit
import Foundation
import Testing

import ImageJobs
import ImageScanning

/// Files that are copied to nodes, and scans that find them there.
@Suite("skyfarm spread", .serialized) struct SpreadTests {
    let scene: Scene
    let nodes: [Node]
    private static let names = ["alpha", "beta"]

    init() throws {
        let scene = try Scene()
        self.scene = scene
        for name in ["night"] + Self.names {
            try FileManager.default.createDirectory(atPath: scene.path(name), withIntermediateDirectories: true)
        }
        nodes = try Self.names.map { try Node($0, ["--store", scene.path($0), "--no-advertise"]) }
    }

    private var addresses: [String] { nodes.flatMap { ["--node", $0.address] } + ["--no-discovery"] }

    private func images(_ count: Int) throws -> [String] {
        try (0..<count).map { try scene.sky("night/s\($0).fits", size: "500x400", ["--seed", "\($0)"]) }
    }

    private func spread(_ words: [String]) throws -> Program.Result {
        try Program.run(["spread"] + words + addresses)
    }

    /// The files in the store of a node, by their last names.
    private func kept(_ name: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: scene.path(name))?.allObjects as? [String] ?? []
        return all.filter { $0.hasSuffix(".fits") || $0.hasSuffix(".part") }.map(InputList.lastName).sorted()
    }

    private struct Report: Decodable {
        struct Traffic: Decodable {
            var tasksRead: Int
            /// Checksums may be sent, of 24 bytes each.
            var bytesSent: Int
            var bytesRead: Int
        }
        var pixelTraffic: Traffic
        var done: Int
    }

    private func scan(_ words: [String]) throws -> (report: Report, errors: String) {
        let result = try Program.run(
            ["scan"] + words + ["--json", "--no-journal", "--local-slots", "0", "-o", scene.path("out/")] + addresses)
        #expect(result.code == 0, "\(result.errors)")
        return (try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)), result.errors)
    }

    @Test("each file is on one node, a second run sends nothing, and scans read the files where they are")
    func night() throws {
        let images = try images(4)
        let first = try spread([scene.path("night"), "--to", "all"])
        #expect(
            first.code == 0 && first.errors.contains("4 copies of 4 files sent to alpha and beta"), "\(first.errors)")
        #expect(kept("alpha") == ["s0.fits", "s2.fits"] && kept("beta") == ["s1.fits", "s3.fits"])
        let copy = scene.path("alpha") + (realPath(images[0]) ?? "")
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == scene.bytes("night/s0.fits"))
        #expect(InputStamp(copy)?.modified == InputStamp(images[0])?.modified)
        let second = try spread(images + ["--to", "alpha,beta"])
        #expect(second.code == 0 && second.errors.contains("0 copies of 4 files sent"), "\(second.errors)")
        #expect(second.errors.contains("4 were there"))

        var (local, errors) = try scan(images)
        // At the end a node without work may be sent the pixels of a file that another one has, and one that joins late is
        // left few of its own.
        for _ in 0..<4 where local.pixelTraffic.bytesSent >= local.pixelTraffic.bytesRead {
            (local, errors) = try scan(images + ["--overwrite"])
        }
        #expect(
            local.done == 4 && local.pixelTraffic.bytesSent < local.pixelTraffic.bytesRead
                && local.pixelTraffic.tasksRead >= 4, "\(errors)")
        #expect(!errors.contains("did not read"), "\(errors)")
        let catalogues = try (0..<4).map { try rows("out/s\($0).fits") }
        try FileManager.default.removeItem(atPath: scene.path("out"))
        try FileManager.default.createDirectory(atPath: scene.path("out"), withIntermediateDirectories: true)
        // By the path that the files have here, which is that below the nodes' folders.
        let (there, thereErrors) = try scan(["*:\(realPath(scene.path("night")) ?? "")/*.fits"])
        #expect(there.done == 4 && there.pixelTraffic.tasksRead >= 4, "\(thereErrors)")
        #expect(try (0..<4).map { try rows("out/s\($0).fits") } == catalogues)
    }

    /// The table of a catalogue, without the header that names the image.
    private func rows(_ name: String) throws -> Data {
        let bytes = try scene.bytes(name)
        let end = try #require(bytes.range(of: Data("XTENSION".utf8)))
        let data = try #require(
            bytes[end.lowerBound...].range(of: Data(("END" + String(repeating: " ", count: 77)).utf8)))
        return bytes[data.upperBound...]
    }

    @Test("a file that several nodes have is scanned once")
    func copies() throws {
        _ = try images(2)
        let result = try spread([scene.path("night/*.fits"), "--to", "all", "--copies", "2"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(kept("alpha") == kept("beta") && kept("beta").count == 2)
        let night = realPath(scene.path("night")) ?? ""
        let (all, errors) = try scan(["*:\(night)/*.fits"])
        #expect(all.done == 2 && all.pixelTraffic.bytesSent < 1000, "\(errors)")
        let (named, namedErrors) = try scan(["alpha:\(night)/*.fits", "beta:\(night)/*.fits", "--overwrite"])
        #expect(named.done == 2, "\(namedErrors)")
    }

    @Test("what cannot be copied is named, the rest is copied, and nothing is replaced unasked")
    func failures() throws {
        let images = try images(2)
        #expect(try spread(images + ["--to", "alpha"]).code == 0)
        let other = try scene.sky("other.fits", size: "300x200")
        try FileManager.default.removeItem(atPath: images[0])
        try FileManager.default.moveItem(atPath: other, toPath: images[0])
        let text = try scene.write(Array("no image".utf8), "night/text.fits")
        let zipped = try scene.write([1], "night/z.fits.gz")
        let result = try spread(
            images + [text, zipped, scene.path("none.fits"), "--to", "alpha", "--json"])
        #expect(result.code == ExitCode.partialCatalogue.rawValue, "\(result.errors)")
        for words in [
            "alpha: has another file as ", "text.fits: is no FITS file", "z.fits.gz: is compressed as a whole",
            "none.fits: no such file",
        ] { #expect(result.errors.contains(words), "\(words) is not in \(result.errors)") }
        #expect(kept("alpha") == ["s0.fits", "s1.fits"])
        let none = try spread([zipped, "--to", "alpha"])
        #expect(none.code == ExitCode.input.rawValue, "\(none.errors)")
    }

    @Test("a node that loses its copy while a scan runs is sent the pixels, and the catalogue is the same")
    func lost() throws {
        let image = try scene.sky("night/large.fits", size: "2000x2000")
        #expect(try spread([image, "--to", "all", "--copies", "2"]).code == 0)
        let words = ["scan", image, "--no-journal", "--band", "64", "--local-slots"]
        let expected = try Program.run(words + ["1", "--no-discovery", "-o", scene.path("expected.csv")])
        #expect(expected.code == 0, "\(expected.errors)")
        let run = try Program(words + ["0", "--progress", "json", "-o", scene.path("out.csv")] + addresses)
        try run.waitForErrors(#""event":"finished""#)
        run.send(SIGSTOP)
        for name in Self.names {
            try FileManager.default.removeItem(atPath: scene.path(name) + (realPath(image) ?? ""))
        }
        run.send(SIGCONT)
        let result = try run.finish()
        #expect(result.code == 0 && !result.errors.contains("failed:"), "\(result.errors)")
        #expect(try scene.bytes("out.csv") == scene.bytes("expected.csv"))
        #expect(result.errors.contains("did not read \(image) itself"), "\(result.errors)")
    }

    @Test("Security.md: a node without a store keeps no file")
    func noStore() throws {
        let plain = try Node("plain", ["--no-advertise", "--data", scene.path("night")])
        let result = try Program.run(
            ["spread", try images(1)[0], "--to", "plain", "--node", plain.address, "--no-discovery"])
        #expect(result.code == ExitCode.noUsableNode.rawValue, "\(result.errors)")
        #expect(result.errors.contains("plain: keeps no files of other machines"), "\(result.errors)")
        #expect(kept("night") == ["s0.fits"])
    }

    @Test("nodes that do not answer or keep no files are named; a plan has no effect")
    func nodesAndPlans() throws {
        let images = try images(2)
        let plain = try Node("plain", ["--no-advertise"])
        let silent = try spread(images + ["--to", "gamma", "--node", plain.address])
        #expect(silent.code == ExitCode.noUsableNode.rawValue)
        #expect(silent.errors.contains("no node gamma answers"), "\(silent.errors)")
        let many = try spread(images + ["--to", "all", "--copies", "3"])
        #expect(many.code == ExitCode.noUsableNode.rawValue, "\(many.errors)")
        let plan = try spread(images + ["--to", "al*,beta", "--dry-run"])
        #expect(plan.code == 0 && plan.output == "\(images[0]) -> alpha\n\(images[1]) -> beta\n", "\(plan.errors)")
        #expect(kept("alpha").isEmpty && kept("beta").isEmpty)
        let usage = try spread(images)
        #expect(usage.code == ExitCode.usage.rawValue)
    }

    @Test("a copy that is stopped leaves nothing under its name, and the next run goes on")
    func stopped() throws {
        let image = try scene.sky("night/large.fits", size: "4000x4000")
        // The connection passes a part of the 64 MB.
        let port = try #require(nodes[0].address.split(separator: ":").last.flatMap { UInt16($0) })
        let counter = try Foreigner(.passes(port: port, bytes: 20_000_000))
        defer { counter.close() }
        let broken = try Program.run(
            ["spread", image, "--to", "alpha", "--node", counter.address, "--no-discovery"])
        #expect(broken.code != 0, "\(broken.errors)")
        #expect(!kept("alpha").contains("large.fits"))
        let program = try Program(["spread", image, "--to", "alpha", "--progress", "json"] + addresses)
        try program.waitForErrors(#""event":"began""#)
        program.send(SIGINT)
        let result = try program.finish()
        if result.code == 130 { #expect(!kept("alpha").contains("large.fits")) } else { #expect(result.code == 0) }
        #expect(try spread([image, "--to", "alpha"]).code == 0)
        // The parts of both runs go with their connections, whose ends the node may not have seen yet.
        let end = ContinuousClock.now + Program.limit
        while kept("alpha") != ["large.fits"], .now < end { usleep(5000) }
        #expect(kept("alpha") == ["large.fits"])
    }
}
