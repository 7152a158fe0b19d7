import CommandLineKit
import Foundation
import ScanBasics
import Testing

@testable import ImageJobs
import ImageScanning
import MapCommand

/// A folder that a node allows, and files beside it.
@Suite("Jobs of other machines") struct JobPermitTests {
    let scene: Scene
    let permit: JobPermit
    private let base: String

    init() throws {
        scene = try Scene()
        base = try #require(realPath(scene.folder))
        for folder in ["shared/night", "data"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
        for name in ["shared/a.fits", "data/b.fits", "secret.fits"] { _ = try scene.write("text".utf8, name) }
        permit = JobPermit(folders: [scene.path("shared")], data: [scene.path("data")])
    }

    private var output: [String] { ["-o", scene.path("shared/o.csv")] }

    private func check(_ words: [String], in folder: String? = nil) throws -> JobPermit.Finding {
        try permit.check(words, in: folder ?? scene.path("shared"), isRunning: false)
    }

    private func refusal(_ words: [String], in folder: String? = nil) -> String {
        let error = #expect(throws: (any Error).self, "\(words)") { try check(words, in: folder) }
        return error.map { "\($0)" } ?? ""
    }

    /// The options of a scan that name files, with a value for each that names `path`.
    private static func options(_ mode: FileUse.Mode, naming path: String) -> [(name: String, value: String)] {
        ScanCommand.spec.options.filter { $0.files?.mode == mode && $0.name != "output" }.map { option in
            (option.name, option.name == "check-image" ? "BACKGROUND=\(path)" : path)
        }
    }

    @Test("Security.md: every option of a scan that names a file is checked, as the table of options says")
    func options() throws {
        let options = ScanCommand.spec.options
        let unknown = options.filter { option in
            option.files == nil && ["file", "folder", "FILE"].contains { option.expected.contains($0) }
        }
        #expect(unknown.map(\.name) == [], "say how the option uses the file: .file(.reads) or .file(.writes)")
        let reads = Self.options(.reads, naming: scene.path("secret.fits"))
        #expect(
            reads.count >= 9 && reads.contains { $0.name == "detect-weight" } && reads.contains { $0.name == "psf" })
        for (name, value) in reads {
            let text = refusal([scene.path("shared/a.fits"), "--\(name)=\(value)"] + output)
            #expect(text.contains("not below a folder of --accept-jobs or --data"), "--\(name): \(text)")
        }
        let writes = Self.options(.writes, naming: scene.path("o.fits"))
        #expect(writes.count >= 5)
        for (name, value) in writes {
            let text = refusal([scene.path("shared/a.fits"), "--\(name)=\(value)"] + output)
            #expect(text.contains("not below a folder of --accept-jobs of this node"), "--\(name): \(text)")
        }
        #expect(JobPermit.refused.isSubset(of: Set(options.map(\.name))))
    }

    @Test("Security.md: a run of a program reads and writes below the folders only, and runs no program of its own")
    func map() throws {
        func refusal(_ words: [String]) -> String {
            let error = #expect(throws: (any Error).self, "\(words)") {
                try permit.check(["work", "{in}"] + words, of: .map, in: scene.path("shared"), isRunning: false)
            }
            return error.map { "\($0)" } ?? ""
        }
        let (result, input) = (["-o", scene.path("shared/out/")], ["--", scene.path("data/b.fits")])
        let allowed = ["work", "{in}", "--shared", scene.path("data/b.fits")] + result + input
        #expect(
            try permit.check(allowed, of: .map, in: scene.path("shared"), isRunning: false)
                == .init(store: base + "/shared", folder: base + "/shared"))
        let secret = scene.path("secret.fits")
        let (reads, writes) = ("not below a folder of --accept-jobs or --data", "not below a folder of --accept-jobs")
        #expect(refusal(result + ["--", secret]).contains(reads))
        #expect(refusal(result + ["--", "@" + secret]).contains(reads))
        #expect(refusal(result + ["--", scene.path("*.fits")]).contains(reads))
        #expect(refusal(result + ["--shared", secret] + input).contains(reads))
        #expect(refusal(result + ["--items", secret]).contains(reads))
        for place in [scene.path("out/"), scene.path("data/"), scene.path("shared/../{stem}"), "../{stem}.txt"] {
            #expect(refusal(["-o", place] + input).contains(writes), "\(place)")
        }
        #expect(refusal(["-o", "-"] + input).contains("-o FOLDER/"))
        for words in [["--local-program", "work=/bin/sh"], ["--joblog", scene.path("shared/log")], ["--dry-run"]] {
            #expect(refusal(result + words + input).contains("cannot be used in a job"), "\(words)")
        }
        let names = MapCommand.spec.options.map(\.name)
        #expect(JobPermit.refusedOfMap.isSubset(of: Set(names)))
        #expect(throws: (any Error).self) {
            try permit.check(["x", "-o", "y"], of: .combine, in: scene.path("shared"), isRunning: false)
        }
    }

    @Test("what is below the folders is allowed, by absolute and by relative names")
    func allowed() throws {
        let finding = try check([scene.path("data/b.fits"), "a.fits"] + output)
        #expect(finding == .init(store: base + "/shared", folder: base + "/shared"))
        // Whether the folder of the submission exists here is told to nobody.
        #expect(try check([scene.path("data/b.fits")] + output, in: "/root/nosuch").folder == base + "/shared")
        #expect(try check([scene.path("shared/*.fits")] + output).store == base + "/shared")
    }

    @Test("Security.md: what is outside has one answer, whether or not it exists")
    func outside() throws {
        for (there, none) in [
            ("secret.fits", "nosuch.fits"), ("shared/../secret.fits", "shared/../nosuch.fits"), ("*.fits", "*.none"),
        ] {
            let words = [there, none].map { refusal([scene.path($0)] + output).replacing(scene.path($0), with: "") }
            #expect(words[0] == words[1] && words[0].contains("not below"), "\(words)")
        }
        // An existing folder as a report, too.
        let reports = ["out", "nosuch"].map { name in
            refusal([scene.path("shared/a.fits"), "--report", scene.path(name)] + output)
                .replacing(scene.path(name), with: "")
        }
        #expect(reports[0] == reports[1] && reports[0].contains("not below"), "\(reports)")
    }

    @Test("Security.md: links and pipes are refused, and so is the folder of the jobs themselves")
    func special() throws {
        symlink(scene.path("secret.fits"), scene.path("shared/link.fits"))
        symlink(scene.folder, scene.path("shared/up"))
        #expect(mkfifo(scene.path("shared/pipe.csv"), 0o600) == 0)
        for name in ["link.fits", "up/secret.fits"] {
            #expect(refusal([scene.path("shared/\(name)")] + output).contains("cannot be read here"))
        }
        let image = scene.path("shared/a.fits")
        for name in [
            "link.fits", "up/o.csv", "pipe.csv", ".skyfarm/jobs/1f0c/lease-9223372036854775807/o.csv", ".skyfarm/x.csv",
            "night/../../o.csv",
        ] {
            #expect(refusal([image, "-o", scene.path("shared/\(name)")]).contains("not below"), "\(name)")
        }
        #expect(refusal([scene.path("shared/.skyfarm/jobs/x.fits")] + output).contains("not below"))
    }

    @Test("a file is compared with that of the submitter only where it may be read")
    func stamps() throws {
        let stamp = try #require(InputStamp(scene.path("shared/a.fits")))
        try permit.compare([stamp])
        var other = stamp
        other.byteCount += 1
        #expect(throws: CommandError.self) { try permit.compare([other]) }
        other.path = scene.path("secret.fits")
        let error = #expect(throws: CommandError.self) { try permit.compare([other]) }
        #expect(error.map { "\($0)".contains("not below") } == true)
    }

    @Test("the weight that is ordered replaces that of the submission")
    func weight() {
        var job = SubmittedJob(
            id: "1", words: ["--priority-weight", "3", "a.fits", "--priority-weight=4", "-o", "b"], folder: "/",
            environment: [:], submitted: 0)
        #expect(job.finalWords == job.words)
        job.weight = 2
        #expect(job.finalWords == ["--priority-weight=2.0", "a.fits", "-o", "b"])
    }
}

@Suite("The outputs of a job") struct JobOutputsTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    private func record(_ names: [String]) throws -> JobOutputs {
        let path = scene.path("written")
        let record = try OutputRecord(path)
        for name in names {
            let status = try #require(FileStatus(path: scene.path(name)))
            record.add(WrittenFile(path: try #require(realPath(scene.folder)) + "/\(name)", status))
        }
        let folders = try ConfinedFolders([scene.path("out")])
        return JobOutputs(PrivateFolder.bytes(path, limit: 1 << 20) ?? [], in: folders)
    }

    @Test("Security.md: only what the job has written is given, as long as nobody has changed it")
    func written() throws {
        for name in ["out/a.csv", "out/b.csv", "out/c.csv", "out/d.csv", "e.csv"] {
            _ = try scene.write("rows".utf8, name)
        }
        // Written before the job, and only named by it.
        let outputs = try record(["out/a.csv", "out/b.csv", "out/c.csv", "e.csv"])
        #expect(outputs.all().map { ($0.name as NSString).lastPathComponent } == ["a.csv", "b.csv", "c.csv"])
        let a = try #require(outputs.all().first)
        #expect(try a.byteCount == 4 && outputs.piece(of: a.name, at: 1) == Array("ows".utf8))
        // A link, and a pipe, which would block for ever, in the place of the files.
        unlink(scene.path("out/b.csv"))
        symlink(scene.path("e.csv"), scene.path("out/b.csv"))
        unlink(scene.path("out/c.csv"))
        #expect(mkfifo(scene.path("out/c.csv"), 0o600) == 0)
        #expect(outputs.all().map(\.name) == [a.name])
        for name in ["b.csv", "c.csv", "d.csv"] {
            let path = (a.name as NSString).deletingLastPathComponent + "/" + name
            #expect(throws: CommandError.self) { try outputs.piece(of: path, at: 0) }
        }
        _ = try scene.write("other".utf8, "out/a.csv")
        #expect(outputs.all().isEmpty)
    }
}
