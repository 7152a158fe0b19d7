import CommandLineKit
import Foundation
import Testing

/// Images that another program overwrites in place in mid-scan.
@Suite("an image that is overwritten in mid-scan", .serialized) struct OverwrittenImageTests {
    let scene: Scene
    let image: String

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("data"), withIntermediateDirectories: true)
        image = try scene.sky("data/sky.fits", size: "1500x1500")
    }

    /// How the image is written.
    enum Manner: CaseIterable {
        case plain
        /// With the time of the image before, as by `cp -p` of a file of the same time.
        case oldTime
    }

    /// Starts a scan, writes other pixels into the image when the first task is done, and lets the scan go on.
    private func overwrite(_ words: [String], _ manner: Manner = .plain) throws -> Program.Result {
        let scan = try Program(
            ["scan"] + words + ["--progress", "json"], environment: ["XDG_STATE_HOME": scene.path("state")])
        try scan.waitForErrors(#""event":"finished""#)
        scan.send(SIGSTOP)
        var status = stat()
        #expect(stat(image, &status) == 0)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: image))
        try file.seek(toOffset: 5760)
        try file.write(contentsOf: Data(repeating: 0x40, count: 1500 * 1500))
        try file.close()
        if manner == .oldTime { #expect(utimensat(AT_FDCWD, image, [status.st_atim, status.st_mtim], 0) == 0) }
        scan.send(SIGCONT)
        return try scan.finish()
    }

    private func expectRefusal(_ result: Program.Result) {
        #expect(result.code == ExitCode.input.rawValue, "\(result.errors)")
        #expect(
            result.errors.contains("\(image): was changed while it was scanned; scan it again when it is complete\n"),
            "\(result.errors)")
        #expect(scene.outputs.isEmpty)
    }

    @Test("has no catalogue, and the same command scans the new one", arguments: Manner.allCases)
    func local(manner: Manner) throws {
        let words = [image, "--band", "64", "--local-slots", "1", "--no-discovery", "-o", scene.path("out/o.csv")]
        expectRefusal(try overwrite(words, manner))
        let journal = ["XDG_STATE_HOME": scene.path("state")]
        let job = try Program.run(["jobs"], environment: journal).output.split(separator: "\n").last
        #expect(job?.contains("  failed  ") == true, "\(job ?? "")")
        let id = try #require(job?.split(separator: " ").first.map(String.init))
        let failed = try Program.run(["jobs", "show", id, "--failed"], environment: journal).output
        #expect(failed == "\(image): was changed while it was scanned; scan it again when it is complete\n")
        let again = try Program.run(["scan"] + words, environment: ["XDG_STATE_HOME": scene.path("state")])
        #expect(again.code == 0, "\(again.errors)")
        let expected = try Program.run(["scan", image, "--no-journal", "--no-discovery", "-o", scene.path("e.csv")])
        #expect(expected.code == 0)
        #expect(try scene.bytes("out/o.csv") == scene.bytes("e.csv"))
    }

    @Test("by nodes that read it themselves has no catalogue either, wherever it lies", arguments: [false, true])
    func nodes(isOnNode: Bool) throws {
        let node = try Node("far", ["--data", scene.path("data")])
        let words = [
            isOnNode ? "far:" + image : image, "--band", "64", "--local-slots", "0", "--node", node.address,
            "--no-journal", "-o", scene.path("out/o.csv"),
        ]
        let result = try overwrite(words)
        #expect(result.code == ExitCode.input.rawValue, "\(result.errors)")
        #expect(
            result.errors.contains(try Regex("\(image).* was changed while it was scanned")), "\(result.errors)")
        #expect(scene.outputs.isEmpty)
    }

    @Test("costs no other image of the job")
    func many() throws {
        let other = try scene.sky("data/other.fits")
        let result = try overwrite([
            image, other, "--band", "64", "--local-slots", "1", "--no-discovery", "-o", scene.path("out/{stem}.csv"),
        ])
        #expect(result.code == ExitCode.partialCatalogue.rawValue, "\(result.errors)")
        #expect(result.errors.contains("\(image): was changed while it was scanned"), "\(result.errors)")
        #expect(scene.outputs == ["other.csv"])
    }
}
