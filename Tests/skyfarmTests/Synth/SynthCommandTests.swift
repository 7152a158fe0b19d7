import CommandLineKit
import Foundation
import SkySynthetic
import Testing
import skyfarm

@Suite(.timeLimit(.minutes(10))) struct SynthCommandTests {
    /// A temporary folder, removed with the object.
    final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("synth-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appendingPathComponent(name).path }

        var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
    }

    func run(_ words: String...) async -> ExitCode {
        await Skyfarm.run(["synth", "--quiet"] + words, environment: [:])
    }

    @Test("an image and its truth are written, and the truth is complete against itself")
    func make() async throws {
        let folder = try Folder()
        let (image, truth) = (folder.path("a.fits"), folder.path("a.csv"))
        #expect(await run(image, "--size", "300x200", "--truth", truth) == .complete)
        #expect(folder.names == ["a.csv", "a.fits"])
        let size = try FileManager.default.attributesOfItem(atPath: image)[.size] as? Int
        #expect(size.map { $0 % 2880 == 0 && $0 > 4 * 300 * 200 } == true)
        #expect(await run("--check", truth, truth, "--min", "1") == .complete)
    }

    @Test("the same seed gives the same bytes, another one others")
    func seeds() async throws {
        let folder = try Folder()
        for (name, seed) in [("a", "1"), ("b", "1"), ("c", "2")] {
            #expect(await run(folder.path(name), "--size", "90", "--type", "u16", "--seed", seed) == .complete)
        }
        let contents = ["a", "b", "c"].map { FileManager.default.contents(atPath: folder.path($0)) }
        #expect(contents[0] != nil && contents[0] == contents[1] && contents[0] != contents[2])
    }

    @Test("a file that exists is left alone, unless it may be overwritten")
    func existing() async throws {
        let folder = try Folder()
        let image = folder.path("a.fits")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: image))
        #expect(await run(image, "--size", "9") == .output)
        #expect(FileManager.default.contents(atPath: image) == Data("mine".utf8))
        #expect(await run(folder.path("b.fits"), "--size", "9", "--truth", image) == .output)
        #expect(folder.names == ["a.fits"])
        #expect(await run(image, "--size", "9", "--overwrite") == .complete)
        #expect(FileManager.default.contents(atPath: image)?.starts(with: Data("SIMPLE".utf8)) == true)
    }

    @Test("a raw night is a folder of frames with the truth beside them, which is not replaced")
    func night() async throws {
        let folder = try Folder()
        let words = ["--raw", "--size", "64", "--filters", "V,Ha", "--exposures", "10", "--lights", "1"]
        for name in ["a", "b"] {
            #expect(
                await Skyfarm.run(
                    ["synth", "--quiet", folder.path(name), "--calibrations", "1"] + words, environment: [:])
                    == .complete)
        }
        for name in ["light-Ha-10s-001.fits", "dark-10s-001.fits", "truth/light-V-10s.csv", "truth/trails.csv"] {
            let contents = ["a", "b"].map { FileManager.default.contents(atPath: folder.path("\($0)/\(name)")) }
            #expect(contents[0] != nil && contents[0] == contents[1])
        }
        #expect(await Skyfarm.run(["synth", "--quiet", folder.path("a")] + words, environment: [:]) == .output)
        for wrong in [["--filters", "a/b"], ["--exposures", "0"], ["--trail-sigma", "5:1"], ["--truth", "t.csv"]] {
            #expect(
                await Skyfarm.run(["synth", "--raw", folder.path("c")] + wrong, environment: [:]) == .usage)
        }
        #expect(folder.names == ["a", "b"])
    }

    @Test("too small a share fails, a catalogue that cannot be read is an input error")
    func check() async throws {
        let folder = try Folder()
        let (truth, catalogue) = (folder.path("truth.csv"), folder.path("sources.csv"))
        try Data("x,y,snr\n1,1,20\n50,50,30\n90,90,3\n".utf8).write(to: URL(fileURLWithPath: truth))
        try Data("x,y\n1.5,1\n".utf8).write(to: URL(fileURLWithPath: catalogue))
        #expect(await run("--check", truth, catalogue) == .complete)
        #expect(await run("--check", truth, catalogue, "--min", "0.6") == .failure)
        #expect(await run("--check", truth, catalogue, "--min", "0.5") == .complete)
        #expect(await run("--check", truth, catalogue, "--min", "1", "--sigma", "100") == .complete)
        #expect(await run("--check", truth, folder.path("absent.csv")) == .input)
        try Data("no table".utf8).write(to: URL(fileURLWithPath: catalogue))
        #expect(await run("--check", truth, catalogue) == .input)
    }

    @Test("the comparison is reported in one line")
    func line() {
        let truth = [Completeness.Position(x: 0, y: 0, signalToNoise: 11)]
        let result = Completeness(truth: truth, catalogue: truth, radius: 1, minimum: 10)
        #expect(
            SynthCommand.line(result, sigma: 10)
                == "completeness 100.00 %: 1 of 1 sources brighter than 10 sigma recovered; "
                + "spurious 0.00 %: 0 of 1\n")
    }

    @Test("wrong words end with the exit code of usage, help and version with success")
    func codes() async {
        #expect(await Skyfarm.run(["synth"], environment: [:]) == .usage)
        #expect(await Skyfarm.run(["snyth"], environment: [:]) == .usage)
        #expect(await Skyfarm.run(["--version"], environment: [:]) == .complete)
        #expect(await Skyfarm.run(["help", "synth"], environment: [:]) == .complete)
        #expect(await Skyfarm.run(["synth", "a"], environment: ["SKYFARM_QUIET": "perhaps"]) == .usage)
    }
}
