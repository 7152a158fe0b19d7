import Testing

import Console
@testable import ImageJobs
@testable import ImageScanning
@testable import SkyScan

@Suite("The queue of submitted jobs") struct JobQueueStateTests {
    @Test("runs so many jobs at a time, in the order of submission")
    func order() {
        var queue = JobQueueState(limit: 2)
        #expect(queue.add("a") == [.start("a")] && queue.add("b") == [.start("b")])
        #expect(queue.add("c") == [] && queue.add("d") == [] && queue.add("c") == [])
        #expect(queue.ended("b", isDone: true, isWanted: true) == [.start("c")])
        #expect(queue.ended("a", isDone: true, isWanted: true) == [.start("d")])
        #expect(queue.ended("c", isDone: true, isWanted: true) == [])
    }

    @Test("stops a job that runs, forgets one that waits, and begins it again when it is added again")
    func stop() {
        var queue = JobQueueState(limit: 1)
        _ = queue.add("a")
        _ = queue.add("b")
        #expect(queue.stop("b") == [] && queue.stop("a") == [.stop("a")])
        #expect(queue.ended("a", isDone: false, isWanted: false) == [])
        #expect(queue.add("b") == [.start("b")] && queue.add("a") == [])
    }

    @Test("takes over what runs, which counts against the limit")
    func adopted() {
        var queue = JobQueueState(limit: 1)
        #expect(queue.add("a", isRunning: true) == [] && queue.add("b") == [])
        #expect(queue.ended("a", isDone: true, isWanted: true) == [.start("b")])
    }

    @Test("begins a job again that ended without a result, before others, but not for ever")
    func crashes() {
        var queue = JobQueueState(limit: 1)
        _ = queue.add("a")
        _ = queue.add("b")
        for _ in 1..<JobQueueState.endLimit {
            #expect(queue.ended("a", isDone: false, isWanted: true) == [.start("a")])
        }
        #expect(queue.ended("a", isDone: false, isWanted: true) == [.giveUp("a"), .start("b")])
    }

    @Test(
        "begins a job when all those on which it depends have ended well, and refuses it otherwise, with those after it"
    )
    func dependencies() {
        var queue = JobQueueState(limit: 1)
        #expect(queue.add("a") == [.start("a")])
        #expect(queue.add("c", after: ["a", "b"]) == [] && queue.add("d", after: ["c"]) == [])
        #expect(queue.add("b", after: ["a"]) == [] && queue.awaited == ["a", "b", "c"])
        #expect(queue.ended("a", isDone: true, isWanted: true) == [])
        #expect(queue.settled("a", isWell: true) == [.start("b")] && queue.settled("a", isWell: true) == [])
        #expect(queue.ended("b", isDone: true, isWanted: true) == [])
        #expect(queue.add("e") == [.start("e")])
        #expect(queue.settled("b", isWell: false) == [.refuse("c", because: "b"), .refuse("d", because: "c")])
        #expect(queue.awaited.isEmpty && queue.settled("c", isWell: false) == [])
        // One that is stopped while it waits is not begun.
        _ = queue.add("f", after: ["e"])
        #expect(queue.stop("f") == [] && queue.settled("e", isWell: true) == [])
    }

    @Test("with a limit of 0 nothing runs")
    func none() {
        var queue = JobQueueState(limit: 0)
        #expect(queue.add("a") == [])
    }
}

@Suite struct SubmittedJobTests {
    private func state(_ order: SubmittedJob.Order, process: Int? = nil, code: Int32? = nil) -> SubmittedJob.State {
        var job = SubmittedJob(id: "1", words: [], folder: "/", environment: [:], submitted: 0)
        job.order = order
        return job.state(process: process, result: code.map { .init(code: $0, ended: 0) })
    }

    @Test("the state follows from what is ordered, who runs it and how it ended")
    func states() {
        #expect(state(.run) == .waiting && state(.run, process: 7) == .running)
        #expect(state(.pause) == .paused && state(.pause, process: 7) == .stopping)
        #expect(state(.cancel) == .cancelled && state(.cancel, process: 7) == .stopping)
        #expect(
            state(.run, code: 0) == .finished && state(.run, code: 23) == .partial && state(.run, code: 5) == .failed)
        // It was done before it could be stopped.
        #expect(state(.cancel, code: 0) == .finished)
        // Files failed, and no sector is missing.
        let job = SubmittedJob(id: "1", words: [], folder: "/", environment: [:], submitted: 0)
        var result = SubmittedJob.Result(code: 23, ended: 0)
        (result.state, result.filesFailed) = (.finished, 2)
        #expect(job.state(process: nil, result: result) == .finished)
        // Another machine knows that without the journal.
        var entry = SubmittedEntry(job: job, result: result)
        entry.progress = JobProgress(
            event: "ended", files: 4, filesDone: 4, tasks: 2, tasksDone: 2, pixels: 9, pixelsDone: 9, retries: 0,
            systems: 1, slotsTotal: 2)
        #expect(JobRow(entry).done == "2/4 files, 2 failed")
    }

    @Test("a file without a reason, which is scanned again for another cause, is not counted as failed")
    func failedFiles() throws {
        func file(_ name: String, _ errors: [String]?) throws -> JournalledFile {
            let report = try ReportedFile(file: name, errors: errors).coded()
            return JournalledFile(name: name, inputs: [], catalogues: [], report: report)
        }
        var journal = JournalFolder.Entry(id: "1f0c", tasks: [:])
        journal.failed = [try file("a.fits", ["truncated"]), try file("b.fits", nil)]
        #expect(journal.failedFiles.map(\.file) == ["a.fits"])
        #expect(SubmittedJob.Result(code: 23, ended: 0, journal: journal).filesFailed == 1)
    }

    @Test("a job runs with the variables of its user and of Skyfarm, and no others")
    func variables() {
        let all = ["HOME": "/h", "SKYFARM_SLOTS": "2", "XDG_STATE_HOME": "/s", "LC_ALL": "C", "TOKEN": "secret"]
        #expect(Set(SubmittedJob.variables(of: all).keys) == ["HOME", "SKYFARM_SLOTS", "XDG_STATE_HOME", "LC_ALL"])
    }

    @Test("the last event and the last line for people are found in a log")
    func log() throws {
        let line = try JSONOutput.line(
            JobProgress(
                event: "finished", job: "1f0c", tasks: 4, tasksDone: 3, pixels: 9, pixelsDone: 8, retries: 0,
                systems: 1,
                slotsTotal: 2))
        let (progress, message) = SubmittedJobs.last(of: "skyfarm: a note\nskyfarm: sorry\n\(line){\"event\":")
        #expect(progress?.short == "3/4" && progress?.job == "1f0c" && message == "skyfarm: sorry")
        #expect(progress?.text == "3 of 4 tasks, 2 slots on 1 system")
        #expect(SubmittedJobs.last(of: "") == (nil, nil))
    }
}
