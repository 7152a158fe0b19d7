import Testing

import Console
@testable import ImageJobs
@testable import NodeDaemon

@Suite("What a node knows of the cluster") struct ClusterPictureTests {
    private func load(_ name: String, done: Int) -> NodeLoad {
        var load = NodeLoad(name: name, address: "a:1", software: "skyfarm 1", slots: 2)
        (load.running, load.done, load.coordinators, load.now) = (1, done, 1, "running 1 task, 0 waiting")
        return load
    }

    @Test("the rate is that since the last answer; a node that was started again counts from 0")
    func rate() {
        var picture = ClusterPicture()
        picture.answered(load("beta", done: 100), at: 10)
        #expect(picture.members["beta"]?.rate == nil && picture.history.isEmpty)
        picture.answered(load("beta", done: 130), at: 20)
        #expect(picture.members["beta"]?.rate == 3 && picture.history["beta"] == [30])
        picture.failed("beta", "does not answer", at: 25)
        #expect(picture.members["beta"]?.trouble == "does not answer" && picture.members["beta"]?.rate == nil)
        picture.answered(load("beta", done: 10), at: 30)
        #expect(picture.members["beta"]?.rate == 1 && picture.history["beta"] == [40])
        picture.failed("beta", "does not answer", at: 30 + ClusterPicture.forgotten + 1)
        #expect(picture.members.isEmpty && picture.version == 5)
    }

    @Test("no number of a member stops the node, and of many members few are remembered")
    func peers() throws {
        var picture = ClusterPicture()
        for (time, done) in [Int.min, .max, 0, .max, -1, .max, .min].enumerated() {
            picture.answered(load("beta", done: done), at: Double(time))
        }
        #expect(picture.history["beta"] == [.max])
        for index in 0..<2 * ClusterPicture.memberLimit {
            picture.answered(load("n\(index)", done: 1), at: Double(10 + index))
        }
        #expect(picture.members.count == ClusterPicture.memberLimit && picture.history.isEmpty)
    }

    @Test("an answer of a member has numbers that are computed with and printed, and texts of some length")
    func answers() throws {
        var reply = ClusterReply()
        var peer = load(String(repeating: "n", count: 1 << 20), done: .min)
        peer.failures = (0..<100).map { _ in .init(secondsAgo: .nan, text: String(repeating: "x", count: 1 << 16)) }
        var row = JobRow(
            SubmittedEntry(
                job: SubmittedJob(id: "1", words: [], folder: "/", environment: [:], submitted: 0), process: nil))
        row.ageSeconds = -.infinity
        row.progress = JobProgress(
            event: "", tasks: .max, tasksDone: .min, pixels: 1, pixelsDone: 1, rate: .nan, secondsLeft: .infinity,
            retries: 0, systems: 0, slotsTotal: 0)
        row.systems = JobSystems()
        row.systems?.present = (0..<5000).map { .init(name: "\($0)", slots: .max) }
        (reply.jobs, reply.load) = ([row], peer)
        let kept = try reply.get(from: "beta")
        // JSON has no numbers that are none.
        let text = try JSONOutput.line(kept.jobs) + JSONOutput.line(kept.load)
        #expect(text.utf8.count < 100_000)
        #expect(kept.load?.done == 0 && kept.load?.failures.count == NodeLoad.failureLimit)
        #expect(kept.jobs?[0].ageSeconds == 0 && kept.jobs?[0].progress?.rate == nil)
        #expect(kept.jobs?[0].systems?.present.count == JobSystems.systemLimit)
    }

    @Test("the tasks of a day are kept, by intervals")
    func history() {
        var picture = ClusterPicture()
        picture.answered(load("beta", done: 0), at: 0)
        picture.answered(load("beta", done: 5), at: ClusterPicture.interval * 2)
        #expect(picture.history["beta"] == [0, 0, 5] && picture.dropped == 0)
        let last = ClusterPicture.interval * Double(ClusterPicture.intervals + 1)
        picture.answered(load("beta", done: 8), at: last)
        #expect(picture.dropped == 2 && picture.history["beta"]?.first == 5 && picture.history["beta"]?.last == 3)
        #expect(picture.history["beta"]?.count == ClusterPicture.intervals)
        picture.answered(load("beta", done: 9), at: last * 3)
        #expect(picture.history["beta"]?.count == ClusterPicture.intervals && picture.history["beta"]?.last == 1)
    }
}
