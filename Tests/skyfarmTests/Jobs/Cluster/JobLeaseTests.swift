import CommandLineKit
import Foundation
import Testing

@testable import Console
@testable import ImageJobs

@Suite("The lease of a job") struct JobLeaseTests {
    private let lease = JobLease(number: 3, owner: "a:/s", node: "beta", beat: 1, limit: 10)

    @Test("is expired when it was not renewed for its limit, by the observer's clock")
    func observed() {
        var observation = LeaseObservation(lease, at: 100)
        #expect(!observation.isExpired(at: 110) && observation.isExpired(at: 110.1))
        observation.see(lease, at: 109)
        #expect(observation.isExpired(at: 111))
        var renewed = lease
        renewed.beat = 2
        observation.see(renewed, at: 112)
        #expect(!observation.isExpired(at: 122) && observation.isExpired(at: 123))
    }

    @Test("its holder ends when another number exists, and before others may take the job over")
    func kept() {
        var keeper = LeaseKeeper(limit: 10, at: 100)
        #expect(keeper.attempted(isRenewed: true, newest: 3, own: 3, at: 102) == .holds)
        #expect(keeper.attempted(isRenewed: false, newest: nil, own: 3, at: 106) == .holds)
        // An observer saw the renewal at 102 or later: it waits until 112.
        #expect(keeper.attempted(isRenewed: false, newest: nil, own: 3, at: 109.1) == .expired)
        #expect(keeper.attempted(isRenewed: true, newest: 4, own: 3, at: 110) == .superseded)
    }

    @Test("one of several that claim it at once gets it, with a copy of what the last run left")
    func claimed() throws {
        let folder = NSTemporaryDirectory() + "skyfarm-lease-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let jobs = SubmittedJobs(sharedIn: folder)
        try jobs.write(SubmittedJob(id: "1f0c", words: [], folder: "/", environment: [:], submitted: 0))
        #expect(jobs.lease("1f0c") == nil)
        let first = try #require(try jobs.claim("1f0c", after: 0, owner: "a", node: "beta", limit: 10))
        try FileManager.default.createDirectory(atPath: jobs.stateFolder("1f0c"), withIntermediateDirectories: true)
        try Data([7]).write(to: URL(fileURLWithPath: jobs.stateFolder("1f0c") + "/journal"))
        let claims = try ["b", "c"].map { try jobs.claim("1f0c", after: 1, owner: $0, node: $0, limit: 10) }
        #expect(claims.compactMap { $0?.owner } == ["b"] && jobs.lease("1f0c") == claims[0])
        #expect(FileManager.default.contents(atPath: jobs.stateFolder("1f0c") + "/journal") == Data([7]))
        // What the old run renews does not count any more.
        try jobs.renew(first, "1f0c")
        #expect(jobs.newest("1f0c") == 2)
        jobs.removeOldRuns(of: "1f0c")
        let names = try FileManager.default.contentsOfDirectory(atPath: jobs.folder("1f0c")).sorted()
        #expect(names == ["job.json", "lease-1", "lease-2", "run-2"])
    }

    @Test("the state of another node's job follows from its lease")
    func states() {
        var job = SubmittedJob(id: "1", words: [], folder: "/", environment: [:], submitted: 0)
        job.owner = "a"
        var entry = SubmittedEntry(job: job, process: nil, lease: lease)
        #expect(entry.state(for: "b", isExpired: false) == .running && entry.state(for: "b", isExpired: true) == .lost)
        #expect(entry.state(for: "a", isExpired: true) == .waiting)
        entry.job.order = .pause
        #expect(entry.state(for: "b", isExpired: false) == .stopping)
        entry.lease?.isReleased = true
        #expect(entry.state(for: "b", isExpired: false) == .paused)
        entry.job.order = .run
        #expect(entry.state(for: "b", isExpired: true) == .waiting)
        entry.result = .init(code: 0, ended: 0)
        #expect(entry.state(for: "b", isExpired: true) == .finished)
    }
}

@Suite("The folder of shared jobs") struct SharedJobsTests {
    let scene: Scene
    private let job = SubmittedJob(id: "1f0c", words: [], folder: "/", environment: [:], submitted: 0)

    init() throws { scene = try Scene() }

    private var jobs: SubmittedJobs { SubmittedJobs(sharedIn: scene.folder) }

    @Test("Security.md: it is ours, has mode 0700, and takes no link of somebody else")
    func ours() throws {
        try jobs.write(job)
        var status = stat()
        for name in [".skyfarm", ".skyfarm/jobs", ".skyfarm/jobs/1f0c"] {
            #expect(stat(scene.path(name), &status) == 0 && status.st_mode & 0o777 == 0o700, "\(name)")
        }
        #expect(jobs.entries().map(\.job) == [job])
        // Others who may write to the folder put one of theirs in its place, which leads to files of ours.
        try FileManager.default.moveItem(atPath: scene.path(".skyfarm"), toPath: scene.path("moved"))
        symlink(scene.path("moved"), scene.path(".skyfarm"))
        #expect(throws: CommandError.self) { try jobs.write(job) }
        #expect(jobs.entries().isEmpty)
        unlink(scene.path(".skyfarm"))
        try FileManager.default.createDirectory(atPath: scene.path(".skyfarm/jobs"), withIntermediateDirectories: true)
        chmod(scene.path(".skyfarm"), 0o777)
        let error = #expect(throws: CommandError.self) { try jobs.write(job) }
        #expect(error.map { "\($0)".contains("others can write to it") } == true)
    }

    @Test(
        "Security.md: a folder that another user has made first is refused",
        .enabled(if: geteuid() == 0, "needs root to change a file's owner"))
    func foreign() throws {
        try FileManager.default.createDirectory(
            atPath: scene.path(".skyfarm/jobs"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        for name in [".skyfarm", ".skyfarm/jobs"] { #expect(chown(scene.path(name), 65_534, 65_534) == 0) }
        let error = #expect(throws: CommandError.self) { try jobs.write(job) }
        #expect(error.map { "\($0)".contains("belongs to another user") } == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.path(".skyfarm/jobs")).isEmpty)
    }

    @Test(
        "names and numbers that no node writes harm nobody: they are no leases, and no job can be begun after the last")
    func absurd() throws {
        try jobs.write(job)
        let first = try #require(try jobs.claim("1f0c", after: 0, owner: "a", node: "beta", limit: 10))
        for name in ["lease-9223372036854775807", "lease--5", "lease-1000000001", "lease-x", "run-9223372036854775807"]
        {
            try FileManager.default.createDirectory(
                atPath: "\(jobs.folder("1f0c"))/\(name)", withIntermediateDirectories: true)
        }
        #expect(jobs.newest("1f0c") == 1 && jobs.lease("1f0c") == first)
        for last in [Int.max, JobLease.numbers.upperBound] {
            #expect(throws: CommandError.self) {
                try jobs.claim("1f0c", after: last, owner: "a", node: "beta", limit: 10)
            }
        }
        jobs.removeOldRuns(of: "1f0c")
        // What a lease says is checked, too.
        for (beat, limit) in [(Int.max, 1e300), (0, -1), (0, 0)] {
            var lease = first
            (lease.beat, lease.limit) = (beat, limit)
            try jobs.renew(lease, "1f0c")
            #expect(jobs.lease("1f0c") == nil)
        }
        // A job in a folder of another name.
        try FileManager.default.copyItem(atPath: jobs.folder("1f0c"), toPath: jobs.folder("2f0c"))
        #expect(jobs.entry("2f0c") == nil && jobs.entry("../1f0c") == nil)
    }
}

@Suite("Fetched files") struct FetchedFilesTests {
    @Test(
        "Security.md: of names that a node sends only those become files here that lead nowhere else, and are not hidden"
    )
    func usable() {
        for name in ["a.csv", "night/a b.csv", "é.csv"] { #expect(JobFile.isUsable(name)) }
        for name in ["", ".bashrc", "../a", "a/../b", "a//b", "/a", "a/", ".ssh/config", "a/.b", "a\0b", "a\u{1b}[m"] {
            #expect(!JobFile.isUsable(name), "\(name.debugDescription)")
        }
    }

    @Test("have their names below what they have in common")
    func names() {
        #expect(JobFile.localNames(of: ["/s/a/x.csv", "/s/b/c/y.csv"]) == ["a/x.csv", "b/c/y.csv"])
        #expect(JobFile.localNames(of: ["/s/a/x.csv"]) == ["x.csv"] && JobFile.localNames(of: []) == [])
    }
}

@Suite("The jobs of several nodes") struct JobClusterTests {
    private func row(_ id: String, _ state: String, _ node: String, elsewhere: Bool, age: Double = 1)
        -> JobRow
    {
        var row = JobRow(
            SubmittedEntry(job: SubmittedJob(id: id, words: [], folder: "/", environment: [:], submitted: 0)))
        (row.state, row.node, row.isElsewhere, row.ageSeconds) = (state, node, elsewhere, age)
        return row
    }

    @Test("are listed once each, as the node sees them that runs them")
    func merged() {
        let rows = JobCluster.merged([
            row("a", "running", "beta", elsewhere: true), row("a", "stopping", "beta", elsewhere: false),
            row("b", "running", "beta", elsewhere: true, age: 0), row("b", "lost", "beta", elsewhere: true, age: 0),
        ])
        #expect(rows.map(\.id) == ["b", "a"] && rows.map(\.state) == ["lost", "stopping"])
    }

    @Test("a watched job is shown by the events that lead from one state to the next")
    func watched() throws {
        var (watched, state) = (WatchedProgress(), ProgressState())
        func progress(_ done: Int, pixels: Int) -> JobProgress {
            JobProgress(
                event: "finished", tasks: 10, tasksDone: done, pixels: 1000, pixelsDone: pixels, retries: 1, systems: 2,
                slotsTotal: 3)
        }
        var systems = JobSystems()
        systems.present = [.init(name: "beta", slots: 1), .init(name: "gamma", slots: 2)]
        for event in watched.events(to: progress(2, pixels: 200), systems) { state.handle(event, at: 1) }
        #expect(state.tasks == 10 && state.tasksDone == 2 && state.tasksResumed == 2 && state.share == 0.2)
        systems.recent = ["beta", "gamma", "gamma"]
        systems.present = [.init(name: "gamma", slots: 2)]
        let events = watched.events(to: progress(4, pixels: 400), systems)
        #expect(
            events == [
                .left(system: "beta"), .finished(work: 100, system: "gamma"), .finished(work: 100, system: "gamma"),
            ])
        for event in events { state.handle(event, at: 2) }
        #expect(state.tasksDone == 4 && state.share == 0.4 && state.systems.map(\.name) == ["gamma"])
        #expect(watched.events(to: progress(4, pixels: 400), systems) == [])
        #expect(watched.events(to: nil, nil) == [])
    }

    @Test("the end of a log tells who works for a job, and what failed")
    func systems() {
        let log = """
            {"event":"joined","system":"beta","slots":2}
            {"event":"joined","system":"gamma","slots":1}
            {"event":"finished","system":"gamma"}
            {"event":"retried","reason":"no","log":["beta: a line"]}
            not JSON
            {"event":"left","system":"beta"}
            """
        let systems = JobSystems(log: log)
        #expect(systems.present == [.init(name: "gamma", slots: 1)] && systems.recent == ["gamma"])
        #expect(systems.failures == [.init(isFinal: false, reason: "no", log: ["beta: a line"])])
    }
}
