import Testing

@testable import skyfarm

@Suite("What a node knows of the cluster") struct ClusterPictureTests {
    private func load(_ name: String, done: Int) -> NodeLoad {
        NodeLoad(
            name: name, address: "a:1", software: "skyfarm 1", slots: 2, running: 1, queued: 0, done: done,
            coordinators: 1, now: "running 1 task, 0 waiting", failures: [])
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
