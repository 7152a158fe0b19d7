import Foundation
import ScanCluster
import ScanFarm
import SkyExtraction
import SkyScan
import Testing

@testable import ImageJobs
@testable import ImageScanning

/// What `skyfarm jobs` knows of scans that have ended, from their journals and those of submitted jobs.
@Suite("jobs remember", .serialized, .timeLimit(.minutes(10))) struct JobMemoryTests {
    let scene: Scene
    let environment: [String: String]
    let files: [String]

    init() throws {
        scene = try Scene()
        environment = ["XDG_STATE_HOME": scene.path("state"), "XDG_RUNTIME_DIR": scene.path("run")]
        files = [
            try scene.sky("a.fits", size: "200"), try scene.sky("b.fits", size: "200"),
            try scene.write("no image".utf8, "text.fits"),
            try scene.write(try scene.bytes("a.fits").prefix(6000), "cut.fits"),
        ]
    }

    private func run(_ words: [String], _ code: Int32 = 0) throws -> String {
        let result = try Program.run(words, environment: environment)
        #expect(result.code == code, "\(words): \(result.errors)")
        return result.output
    }

    private struct Listing: Decodable { var jobs: [JobRow] }

    private func jobs() throws -> [JobRow] {
        try JSONDecoder().decode(Listing.self, from: Data(try run(["jobs", "--json"]).utf8)).jobs
    }

    private func scan(_ names: [String], _ further: [String] = [], _ code: Int32 = 0) throws {
        _ = try run(["scan", "--no-discovery", "--quiet", "-o", scene.path("out/")] + names + further, code)
    }

    /// Checks that a job names both broken files with the reasons.
    private func expectFailures(of id: String) throws {
        let text = try run(["jobs", "show", id, "--failed"])
        let lines = text.split(separator: "\n").sorted()
        #expect(lines.count == 2, "\(text)")
        #expect(lines.first?.hasPrefix("\(files[3]): truncated: ") == true, "\(text)")
        #expect(lines.last?.hasPrefix("\(files[2]): not a FITS file: ") == true, "\(text)")
        let row = try JSONDecoder().decode(JobRow.self, from: Data(try run(["jobs", "show", id, "--json"]).utf8))
        #expect(row.failedFiles?.map(\.file) == [files[3], files[2]] && row.filesFailed == 2 && row.id == id)
        #expect(row.failedFiles?.allSatisfy { $0.errors.count == 1 } == true)
        #expect(try run(["jobs", "show", id]).contains("failed  2 files; see --failed\n"))
    }

    @Test("a night with broken files is finished, says which failed and why, and is resumed once they are mended")
    func failedFiles() throws {
        try scan(files, [], 23)
        let job = try #require(try jobs().first)
        #expect(job.state == "finished" && job.filesDone == 2 && job.filesFailed == 2 && job.filesTotal == 4)
        #expect(try run(["jobs"]).contains("  finished  "))
        #expect(try run(["jobs"]).contains("  2/4 files, 2 failed  "))
        try expectFailures(of: job.id)
        _ = try run(["jobs", "wait", job.id], 23)
        _ = try run(["jobs", "pause", job.id], 1)
        _ = try scene.sky("cut.fits", size: "200", ["--overwrite"])
        _ = try run(["jobs", "resume", job.id], 23)
        let next = try #require(try jobs().first)
        #expect(next.filesDone == 3 && next.failedFiles?.map(\.file) == [files[2]])
        _ = try scene.sky("text.fits", size: "200", ["--overwrite"])
        _ = try run(["jobs", "resume", job.id])
        #expect(try run(["jobs", "show", job.id, "--failed"]) == "nothing failed\n")
        _ = try run(["jobs", "resume", job.id], 1)
    }

    @Test("a job of which no file can be scanned is failed")
    func allFailed() throws {
        try scan(Array(files.suffix(2)), [], 5)
        let job = try #require(try jobs().first)
        #expect(job.state == "failed" && job.filesDone == 0 && job.filesFailed == 2)
        // It has no results that could be lost.
        _ = try run(["jobs", "remove", "--all"])
    }

    @Test("a job of which every file is left out is failed, and says why")
    func allLeftOut() throws {
        try scan([try scene.table("stars.fits"), try scene.table("more.fits")], [], 5)
        let job = try #require(try jobs().first)
        #expect(job.state == "failed" && job.filesDone == 2 && job.filesFailed == 0 && job.filesTotal == 2)
        #expect(job.filesLeftOut == 2)
        #expect(try run(["jobs", "show", job.id]).contains("reason  nothing to scan: every file is left out\n"))
        #expect(try run(["jobs", "show", job.id, "--failed"]) == "nothing to scan: every file is left out\n")
        _ = try run(["jobs", "wait", job.id], 5)
        _ = try run(["jobs", "remove", "--all"])
    }

    @Test("files that are left out are told apart from those that were scanned")
    func someLeftOut() throws {
        try scan(Array(files.prefix(3)) + [try scene.table("stars.fits")], [], 23)
        let job = try #require(try jobs().first)
        #expect(job.filesDone == 3 && job.filesLeftOut == 1 && job.filesFailed == 1 && job.filesTotal == 4)
        #expect(try run(["jobs"]).contains("  3/4 files, 1 failed, 1 left out  "))
        #expect(try run(["jobs", "show", job.id]).contains("omitted 1 file left out\n"))
    }

    @Test("a submitted job is listed once, under one ID, and knows what failed after its node has ended")
    func submitted() throws {
        let node = try Node("near", environment: environment)
        let words = ["submit", "-o", scene.path("out/"), "--no-discovery"] + files
        var submitted = try Program.run(words, environment: environment)
        let end = ContinuousClock.now + .seconds(60)
        // The node serves its socket once it is ready.
        while submitted.code != 0, .now < end {
            usleep(10_000)
            submitted = try Program.run(words, environment: environment)
        }
        let id = submitted.output.trimmingCharacters(in: .newlines)
        _ = try run(["jobs", "wait", id], 23)
        node.program.send(SIGTERM)
        #expect(try node.program.finish().code == 0)
        let rows = try jobs()
        #expect(rows.map(\.id) == [id] && rows.map(\.state) == ["finished"] && rows.map(\.isSubmitted) == [true])
        #expect(rows[0].progress?.job == id && rows[0].journal != id && rows[0].outputs == [scene.path("out")])
        try expectFailures(of: id)
        let table = try run(["jobs"])
        #expect(table.split(separator: "\n").count == 2, "\(table)")
        #expect(table.contains("  scan a.fits and 3 more  ") && table.contains(" 2/4 files, 2 failed "), "\(table)")
        #expect(try run(["jobs", "show", id]).contains(files.joined(separator: " ")))
        _ = try run(["jobs", "remove", id])
        #expect(try run(["jobs"]) == "no jobs\n")
    }

    /// Makes the folder of a submitted job.
    private func submittedJob(_ id: String) throws -> (jobs: SubmittedJobs, journals: JournalFolder) {
        let journals = JournalFolder(path: scene.path("state/skyfarm"))
        let jobs = SubmittedJobs(path: journals.path + "/jobs")
        try jobs.write(SubmittedJob(id: id, words: files, folder: scene.folder, environment: [:], submitted: 0))
        return (jobs, journals)
    }

    /// Makes a journal of a submitted job.
    private func journal(of id: String, in folder: JournalFolder, began: Double) throws -> JournalFile {
        let identity = try JobIdentity(
            files: files, settings: ["began": "\(began)"], parameters: ScanParameters(), software: "test 1")
        var record = JobRecord(identity: identity, words: files, folder: scene.folder, began: began)
        record.submission = id
        return try JournalFile(path: folder.journalPath(identity.id), new: record)
    }

    @Test("of a submitted job with several journals the list has the newest, as `jobs show`, and all are removed")
    func severalJournals() throws {
        let id = "0badcafe"
        let (submitted, journals) = try submittedJob(id)
        var ids: [String] = []
        for began in [1.0, 2.0] { ids.append(try journal(of: id, in: journals, began: began).record.identity.id) }
        #expect(submitted.journal(of: id)?.id == ids[1])
        #expect(try jobs().map(\.journal) == [ids[1]])
        try submitted.remove(id)
        #expect(try journals.entries().isEmpty)
        #expect(try jobs().isEmpty)
    }

    @Test("a node sends a limited number of failed files of a job, and counts all")
    func manyFailed() async throws {
        let id = "0badcafe"
        let (submitted, journals) = try submittedJob(id)
        let report = try ReportedFile(file: "a.fits", errors: ["truncated"]).coded()
        try journal(of: id, in: journals, began: 1).write(
            (0...JobRow.failureLimit).map {
                JournalledFile(name: "\($0).fits", inputs: [], catalogues: [], report: report)
            })
        let supervisor = JobSupervisor(
            JobStores(own: submitted, permit: JobPermit(folders: [])), limit: 0,
            holder: JobSupervisor.Holder(owner: scene.folder, node: "near", limit: 60), program: "/nonexistent"
        ) { _ in }
        let row = try #require(await supervisor.row(id))
        #expect(row.failedFiles?.count == JobRow.failureLimit && row.filesFailed == JobRow.failureLimit + 1)
    }

    @Test("the process of a job is given the registry of its node")
    func registry() async throws {
        let id = "0badcafe"
        let (submitted, _) = try submittedJob(id)
        let (part, given) = (scene.path("part"), scene.path("given"))
        let program = try scene.script(
            "printf %s \"$\(KnownPeers.variable)\" >'\(part)'; mv '\(part)' '\(given)'", "program")
        let peer = Systems.Peer(
            key: "0", name: "far", identity: nil, slots: 2, addresses: [SocketAddress(host: "10.0.0.1", port: 4870)])
        let supervisor = JobSupervisor(
            JobStores(own: submitted, permit: JobPermit(folders: [])), limit: 1,
            holder: JobSupervisor.Holder(owner: scene.folder, node: "near", limit: 60), program: program,
            known: { [peer] }
        ) { _ in }
        await supervisor.begin()
        while !FileManager.default.fileExists(atPath: given), !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(10))
        }
        await supervisor.close()
        let text = String(decoding: try scene.bytes("given"), as: UTF8.self)
        #expect(KnownPeers(text: text) == KnownPeers([peer]))
    }

    @Test("the same command with other outputs keeps those of the record, and view finds the page")
    func repeated() throws {
        let browser = try scene.script("echo \"$1\" >>'\(scene.path("opened"))'", "browser")
        let view = environment.merging(["BROWSER": browser, "HOME": scene.folder]) { $1 }
        let two = Array(files.prefix(2))
        for (names, page) in [(two, scene.path("pages/")), ([files[0]], scene.path("one.html"))] {
            try scan(names, ["--report", page, "--overwrite", "--band", "64"])
            try scan(names, ["--overwrite", "--band", "64"])
            let outputs = try #require(try jobs().first?.outputs)
            let kept = page.hasSuffix("/") ? String(page.dropLast()) : page
            #expect(outputs.contains(kept) && outputs.count == 2, "\(outputs)")
            #expect(try Program.run(["view", "--quiet"], environment: view).code == 0)
        }
        let opened = String(decoding: try scene.bytes("opened"), as: UTF8.self).split(separator: "\n")
        #expect(opened.map { $0.hasSuffix("/pages/index.html") || $0.hasSuffix("/one.html") } == [true, true])
        #expect(Set(opened).count == 2)
    }

    @Test(
        "a command in a few words names its first image",
        arguments: [
            (["/n/a.fits", "b.fits", "c.fits", "-o", "o/"], "scan a.fits and 2 more"), (["a.fits"], "scan a.fits"),
            (["far:/data/night/", "-o", "o/"], "scan far:/data/night/"),
            (["--watch", "in/", "-o", "o/"], "scan --watch in/"), (["--nosuch"], "scan"), ([], "scan"),
        ])
    func titles(words: [String], title: String) { #expect(JobRow.title(words) == title) }
}
