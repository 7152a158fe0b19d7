import Foundation
import Testing

/// A scan of many images whose process is killed, and the same command again.
@Suite("a killed scan of many images", .serialized) struct KilledNightTests {
    let scene: Scene
    let names = ["a.fits", "b.fits", "c.fits", "d.fits", "e.fits"]

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        for (index, name) in names.enumerated() {
            _ = try scene.sky("night/" + name, size: "\(700 + 20 * index)x700", ["--seed", "\(index)"])
        }
    }

    private struct Document: Decodable {
        struct File: Decodable { var file: String }
        var files: [File]
        var done: Int
        var resumed: Int
        var skipped: Int
        var sources: Int
    }

    private struct Jobs: Decodable {
        struct Job: Decodable {
            var state: String
            var filesDone: Int?
            var filesTotal: Int?
        }
        var jobs: [Job]
    }

    private var environment: [String: String] { ["XDG_STATE_HOME": scene.path("state")] }

    private func words(_ further: [String] = [], to folder: String = "out/") -> [String] {
        ["scan", scene.path("night"), "-o", scene.path(folder), "--local-slots", "1"] + further
    }

    private func run(_ further: [String] = []) throws -> (Program.Result, Document) {
        let result = try Program.run(words(["--json"] + further), environment: environment)
        return (result, try JSONDecoder().decode(Document.self, from: Data(result.output.utf8)))
    }

    private func jobs() throws -> [Jobs.Job] {
        let result = try Program.run(["jobs", "--json"], environment: environment)
        return try JSONDecoder().decode(Jobs.self, from: Data(result.output.utf8)).jobs
    }

    /// Kills the scan when `count` files have ended.
    private func kill(after count: Int) throws {
        let program = try Program(words(["--progress", "json"]), environment: environment)
        try program.wait("\(count) files") {
            $0.components(separatedBy: #""event":"file-ended""#).count - 1 >= count
        }
        program.send(SIGKILL)
        #expect(try program.finish().code == -SIGKILL)
    }

    private func inode(_ name: String) throws -> UInt64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.path(name))
        return try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
    }

    @Test("goes on with the files that are not done; the catalogues are the same to the byte")
    func killed() throws {
        let whole = try Program.run(words(["--no-journal"], to: "whole/"), environment: environment)
        #expect(whole.code == 0, "\(whole.errors)")
        #expect(try jobs().isEmpty)
        try kill(after: 2)
        var left = try #require(try jobs().first)
        // Where this test gets no processor for long, all files are done before the kill.
        for _ in 0..<4 where left.filesDone == 5 {
            #expect(try Program.run(["jobs", "remove", "--all", "--yes"], environment: environment).code == 0)
            for name in names { try FileManager.default.removeItem(atPath: scene.path("out/" + name)) }
            try kill(after: 2)
            left = try #require(try jobs().first)
        }
        #expect(left.state == "unfinished" && left.filesTotal == 5 && (2..<5).contains(left.filesDone ?? 0))
        let listed = try Program.run(["jobs"], environment: environment).output
        #expect(listed.contains(" \(left.filesDone ?? 0)/5 files "))
        // They may have ended in another order than that of their names.
        let before = names.compactMap { try? inode("out/" + $0) }

        let (result, document) = try run()
        #expect(result.code == 0, "\(result.errors)")
        #expect(document.done == 5 && document.resumed == left.filesDone && document.files.count == 5)
        // A catalogue that was written is not written again.
        let after = Set(try names.map { try inode("out/" + $0) })
        #expect(before.count { after.contains($0) } >= left.filesDone ?? 5)
        for name in names { #expect(try scene.bytes("out/" + name) == scene.bytes("whole/" + name), "\(name)") }
        #expect(scene.outputs.filter { !$0.hasPrefix(".") } == names)
        let end = try #require(try jobs().first)
        #expect(end.state == "finished" && end.filesDone == 5)

        // All is done: nothing is scanned, and nothing is demanded. With --overwrite all is scanned anew.
        #expect(try run().1.resumed == 5)
        #expect(try run(["--overwrite"]).1.resumed == 0)
    }

    @Test("scans files again that have changed, or whose catalogue is lost, and refuses a catalogue changed by others")
    func changed() throws {
        try kill(after: 2)
        _ = try run()
        _ = try scene.sky("night/b.fits", size: "640x700", ["--seed", "9", "--overwrite"])
        try FileManager.default.removeItem(atPath: scene.path("out/d.fits"))
        let (result, document) = try run()
        #expect(result.code == 0 && document.resumed == 3 && document.done == 5, "\(result.errors)")
        let alone = try Program.run(
            ["scan", scene.path("night/b.fits"), "-o", scene.path("b.fits"), "--no-journal"])
        #expect(alone.code == 0)
        #expect(try scene.bytes("out/b.fits") == scene.bytes("b.fits"))

        try Data("mine".utf8).write(to: URL(fileURLWithPath: scene.path("out/c.fits")))
        let refused = try Program.run(words(), environment: environment)
        #expect(refused.code == 6 && refused.errors.contains("out/c.fits: exists already"), "\(refused.errors)")
        #expect(try scene.bytes("out/c.fits") == Data("mine".utf8))
    }

    @Test("starts over with --fresh and without a journal, which then demand --overwrite")
    func fresh() throws {
        try kill(after: 2)
        let without = try Program.run(words(["--no-journal"]), environment: environment)
        #expect(without.code == 6 && without.errors.contains("exists already"))
        let (result, document) = try run(["--fresh", "--overwrite"])
        #expect(result.code == 0 && document.resumed == 0 && document.done == 5, "\(result.errors)")
    }

    @Test("--skip-existing leaves out what its header says is current, and nothing else")
    func skipExisting() throws {
        let first = try Program.run(words(["--no-journal"]), environment: environment)
        #expect(first.code == 0, "\(first.errors)")
        let before = try inode("out/a.fits")
        // Other times, the same pixels: the header decides.
        for name in names { utimes(scene.path("night/" + name), nil) }
        try FileManager.default.removeItem(atPath: scene.path("out/c.fits"))
        let skip = ["--skip-existing", "--no-journal"]
        let (result, document) = try run(skip)
        #expect(result.code == 0 && document.skipped == 4 && document.done == 5, "\(result.errors)")
        #expect(try inode("out/a.fits") == before)
        // Other pixels, though the same name; and other parameters.
        _ = try scene.sky("night/b.fits", size: "720x700", ["--seed", "77", "--overwrite"])
        let changed = try run(skip).0
        #expect(changed.code == 23 && changed.errors.contains("out/b.fits: exists already, of other pixels"))
        let other = try run(skip + ["--threshold", "3"]).0
        #expect(other.code == 5, "\(other.errors)")
        let replaced = try run(skip + ["--overwrite"])
        #expect(replaced.0.code == 0 && replaced.1.skipped == 4, "\(replaced.0.errors)")
        let csv = try Program.run(["scan", scene.path("night"), "-o", scene.path("out/{stem}.csv"), "--skip-existing"])
        #expect(csv.code == 2 && csv.errors.contains("--skip-existing needs FITS catalogues"))
    }

    @Test("retries the files that failed, and says on Ctrl-C how to go on")
    func failed() throws {
        try Data("no image".utf8).write(to: URL(fileURLWithPath: scene.path("night/bad.fits")))
        let program = try Program(words(["--progress", "json"]), environment: environment)
        try program.waitForErrors(#""event":"file-ended""#)
        program.send(SIGINT)
        let stopped = try program.finish()
        #expect(stopped.code == 130 && stopped.errors.contains("run the same command again to resume"))
        #expect(try run().0.code == 23)
        let listed = try #require(try jobs().first)
        #expect(listed.state == "finished" && listed.filesDone == 5 && listed.filesTotal == 6)
        _ = try scene.sky("night/bad.fits", size: "300", ["--overwrite"])
        let (result, document) = try run()
        #expect(result.code == 0 && document.resumed == 5 && document.done == 6, "\(result.errors)")
    }
}
