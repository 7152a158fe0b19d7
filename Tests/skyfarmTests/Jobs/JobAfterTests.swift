import Foundation
import ImageJobs
import ScanBasics
import Testing

/// Jobs that begin after others, of which the folder cannot be read for a while.
@Suite("jobs after others of a shared folder", .timeLimit(.minutes(5))) struct JobAfterTests {
    let scene: Scene
    let own: SubmittedJobs
    let shared: SubmittedJobs

    init() throws {
        scene = try Scene()
        mkdir(scene.path("shared"), 0o700)
        own = SubmittedJobs(path: scene.path("state/skyfarm/jobs"))
        shared = SubmittedJobs(sharedIn: try #require(realPath(scene.path("shared"))))
        var first = SubmittedJob(id: "0badcafe", words: [], folder: "/", environment: [:], submitted: 0)
        first.owner = "another"
        try shared.write(first)
        var second = SubmittedJob(id: "0badbeef", words: [], folder: scene.folder, environment: [:], submitted: 1)
        second.after = ["0badcafe"]
        try own.write(second)
    }

    private func supervisor() -> JobSupervisor {
        let permit = JobPermit(folders: [scene.path("shared")])
        return JobSupervisor(
            JobStores(own: own, permit: permit), limit: 0,
            holder: JobSupervisor.Holder(owner: scene.folder, node: "near", limit: 60), program: "/nonexistent"
        ) { _ in }
    }

    private func move(_ name: String, to other: String) { rename(scene.path(name), scene.path(other)) }

    @Test("they wait until it can be read again, and fail if the other job was removed", arguments: [false, true])
    func unreadable(isEmpty: Bool) async throws {
        // As where the file system of the folder is not mounted, before and while the node runs.
        move("shared", to: "away")
        if isEmpty { mkdir(scene.path("shared"), 0o700) }
        let supervisor = supervisor()
        await supervisor.begin()
        await supervisor.observe()
        #expect(own.entry("0badbeef")?.result == nil)
        if isEmpty { rmdir(scene.path("shared")) }
        move("away", to: "shared")
        await supervisor.observe()
        #expect(own.entry("0badbeef")?.result == nil)
        move("shared", to: "away")
        await supervisor.observe()
        #expect(own.entry("0badbeef")?.result == nil)
        move("away", to: "shared")
        try shared.remove("0badcafe")
        await supervisor.observe()
        #expect(own.entry("0badbeef")?.result?.code == 1)
        await supervisor.close()
    }

    @Test("a shared folder in which no job was ever kept has none")
    func unused() throws {
        try FileManager.default.removeItem(atPath: scene.path("shared"))
        mkdir(scene.path("shared"), 0o700)
        #expect(!shared.lacks("0badcafe"))
        _ = try scene.write([], "shared/image.fits")
        #expect(shared.lacks("0badcafe") && own.lacks("0badcafe") && !own.lacks("0badbeef"))
    }
}
