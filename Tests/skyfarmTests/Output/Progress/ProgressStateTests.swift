import Testing

@testable import Console

@Suite struct ProgressStateTests {
    /// An image of 30 Mpix in four bands, whose halos and passes make 40 M of work; on two nodes, one of which has done
    /// a band after two seconds.
    static var begun: ProgressState {
        var state = ProgressState()
        state.handle(.began(pixels: 30_000_000, work: 40_000_000), at: 0)
        state.handle(.stage("extract"), at: 0)
        state.handle(.planned(tasks: 4, work: 40_000_000), at: 0)
        state.handle(.joined(system: "alpha", slots: 2), at: 0)
        state.handle(.joined(system: "beta", slots: 4), at: 0)
        state.handle(.finished(work: 10_000_000, system: "alpha"), at: 2)
        return state
    }

    @Test("what is shown is counted in pixels of the image: halos and passes are no further pixels")
    func pixels() throws {
        let state = Self.begun
        #expect(state.share == 0.25 && state.pixels == 30_000_000 && state.pixelsDone == 7_500_000)
        #expect(state.rate(at: 2) == 3_750_000 && state.secondsLeft(at: 2) == 6)
        #expect(state.systems.map { state.rate(of: $0, at: 2) } == [3_750_000, nil])
    }

    @Test("the share is that of all the work that is expected, not of the step that is known")
    func expectation() {
        var state = ProgressState()
        state.handle(.began(pixels: 100, work: 150), at: 0)
        state.handle(.planned(tasks: 2, work: 50), at: 0)
        for second in 1...2 { state.handle(.finished(work: 25, system: "a"), at: Double(second)) }
        #expect(abs(state.share - 1.0 / 3) < 1e-9)
    }

    @Test("work that becomes known late does not take the share back, but counts in the time left")
    func growth() {
        var state = Self.begun
        state.handle(.planned(tasks: 1, work: 10_000_000), at: 2)
        #expect(state.share == 0.25 && state.tasks == 5 && state.secondsLeft(at: 2) == 8)
        state.handle(.finished(work: 10_000_000, system: "beta"), at: 4)
        #expect(state.share == 0.4)
    }

    @Test("in the end all pixels are done")
    func end() {
        var state = Self.begun
        for second in 3...5 { state.handle(.finished(work: 10_000_000, system: "beta"), at: Double(second)) }
        #expect(state.share == 1 && state.pixelsDone == 30_000_000 && state.secondsLeft(at: 5) == 0)
        #expect(state.meanRate(at: 5) == 6_000_000)
    }

    @Test("of many files, those that have not been opened count as much as the mean of the others")
    func files() throws {
        var state = ProgressState()
        state.handle(.files(4), at: 0)
        #expect(state.stage == "0 of 4 files" && state.secondsLeft(at: 1) == nil)
        // A file that cannot be read, and one of two images, of which one is half done: 1.5 of 2 images of 100 a file.
        state.handle(.fileBegan(images: 0), at: 0)
        state.handle(.fileEnded(file: "a.fits", outputs: [], errors: ["damaged"]), at: 0)
        state.handle(.fileBegan(images: 2), at: 0)
        state.handle(.began(pixels: 50, work: 100), at: 0)
        state.handle(.planned(tasks: 2, work: 100), at: 0)
        state.handle(.finished(work: 50, system: "a"), at: 1)
        // Of 400 expected, 350 are left at 50 a second.
        #expect(state.secondsLeft(at: 1) == 7 && state.pixelsDone == 25)
        state.handle(.finished(work: 50, system: "a"), at: 2)
        state.handle(.imageEnded, at: 2)
        #expect(state.secondsLeft(at: 2) == 6 && state.imagesDone == 1)
        #expect(state.line(at: 2) == "1 of 4 files: 25 %, 2 of 2 tasks, 1 image, 50 pix, 25 pix/s, 6.0 s left")
        for _ in 0..<3 { state.handle(.fileEnded(file: "b.fits", outputs: ["b.csv"]), at: 9) }
        #expect(state.share == 1)
    }

    @Test("the share of many files agrees with the numbers of finished and opened files, whatever their sizes")
    func agreement() {
        var state = ProgressState()
        state.handle(.files(10), at: 0)
        for (index, work) in [10_000.0, 1, 1, 1].enumerated() {
            state.handle(.fileBegan(images: 1), at: 0)
            state.handle(.began(pixels: Int(work), work: work), at: 0)
            state.handle(.planned(tasks: 1, work: work), at: 0)
            // The small ones are done first.
            if index > 0 {
                state.handle(.finished(work: work, system: "a"), at: 1)
                state.handle(.imageEnded, at: 1)
                state.handle(.fileEnded(file: "\(index).fits", outputs: []), at: 1)
            }
            #expect((Double(state.filesDone) / 10...Double(index + 1) / 10).contains(state.share), "\(state.share)")
        }
        #expect(state.filesDone == 3 && state.percent == 30)
    }

    @Test("files whose outputs are not yet written do not count as finished")
    func lag() {
        var state = ProgressState()
        state.handle(.files(10), at: 0)
        state.handle(.joined(system: "a", slots: 2), at: 0)
        for number in 1...10 {
            state.handle(.fileBegan(images: 1), at: 0)
            state.handle(.began(pixels: 100, work: 100), at: 0)
            state.handle(.planned(tasks: 1, work: 100), at: 0)
            state.handle(.finished(work: 100, system: "a"), at: 1)
            if number == 1 { state.handle(.fileEnded(file: "1.fits", outputs: []), at: 1) }
            #expect(state.share <= 0.3)
        }
        #expect(state.line(at: 1).hasPrefix("1 of 10 files: writing, 10 of 10 tasks, ") && state.percent == 30)
        #expect(!state.line(at: 1).contains(" left"))
    }

    @Test("100 % is never shown: while outputs are written, the display says so")
    func writing() {
        var state = Self.begun
        for second in 3...5 { state.handle(.finished(work: 10_000_000, system: "beta"), at: Double(second)) }
        #expect(state.line(at: 5).hasPrefix("extract: writing, 4 of 4 tasks, "))
        let bar = ProgressLayout(columns: 80, rows: 10).lines(state, at: 5).first?.plain ?? ""
        #expect(bar.contains("#] writing  ") && !bar.contains("%"), "\(bar)")
        // Tasks that become known late are scanned.
        state.handle(.planned(tasks: 1, work: 0), at: 5)
        #expect(state.line(at: 5).hasPrefix("extract: 99 %, 4 of 5 tasks, "))
    }

    @Test("of several files only the last line of the job has time and rate")
    func oneRate() {
        var state = ProgressState()
        state.handle(.files(1), at: 0)
        state.handle(.fileBegan(images: 1), at: 0)
        state.handle(.began(pixels: 50, work: 100), at: 0)
        state.handle(.planned(tasks: 2, work: 100), at: 0)
        state.handle(.finished(work: 50, system: "a"), at: 1)
        state.handle(.retried(reason: "node left"), at: 1)
        #expect(state.summary(at: 2) == "1 of 2 tasks, 1 retried")
        var calm = ProgressState()
        calm.handle(.fileBegan(images: 1), at: 0)
        calm.handle(.planned(tasks: 1, work: 1), at: 0)
        #expect(calm.summary(at: 1) == "0 of 1 task")
        calm.handle(.finished(work: 1, system: "a"), at: 1)
        #expect(calm.summary(at: 1) == nil)
    }

    @Test("a system that leaves is no longer among them, one that is there already is no news")
    func systems() {
        var state = Self.begun
        state.handle(.joined(system: "alpha", slots: 2), at: 3)
        state.handle(.left(system: "beta"), at: 3)
        #expect(state.systems.map(\.name) == ["alpha"])
        #expect(state.rate(of: state.systems[0], at: 4) == 1_875_000)
    }

    @Test("before anything is done there is no rate, and no division by zero")
    func empty() {
        #expect(ProgressState().line(at: 0) == "0 %, 0 of 0 tasks")
        #expect(ProgressState().summary(at: 0) == "0 of 0 tasks in 0.0 s")
    }

    @Test("retries and failures are shown where there are some")
    func troubles() {
        var state = Self.begun
        state.handle(.retried(reason: "node left"), at: 3)
        state.handle(.failed(work: 10_000_000, reason: "broken"), at: 4)
        #expect(
            state.line(at: 4)
                == "extract: 50 %, 1 of 4 tasks, 3.75 Mpix/s, 4.0 s left, 1 retried, 1 failed, 6 slots on 2 systems")
        state.handle(.retried(reason: "node left"), at: 5)
        state.handle(.hedged(task: 3, slow: "alpha", system: "beta"), at: 6)
        #expect(state.summary(at: 10) == "1 of 4 tasks in 10 s, 1.50 Mpix/s, 2 retried, 1 hedged, 1 failed")
    }

    @Test("tasks of an earlier run count as done, but not as fast")
    func resumed() {
        var state = ProgressState()
        state.handle(.began(pixels: 40_000_000, work: 40_000_000), at: 0)
        state.handle(.planned(tasks: 4, work: 40_000_000), at: 0)
        state.handle(.resumed(tasks: 3, work: 30_000_000), at: 1)
        #expect(state.share == 0.75 && state.tasksDone == 3)
        #expect(state.rate(at: 1) == nil && state.meanRate(at: 1) == nil)
        state.handle(.finished(work: 10_000_000, system: "a"), at: 2)
        #expect(state.rate(at: 2) == 5_000_000)
        #expect(state.summary(at: 2) == "4 of 4 tasks in 2.0 s, 3 of them resumed, 5.00 Mpix/s")
    }

    @Test("a record holds the event and the totals after it, in one line of JSON")
    func record() throws {
        var state = Self.begun
        let event = ProgressEvent.retried(reason: "a/b left")
        state.handle(event, at: 2.00049)
        let line = try JSONOutput.line(ProgressRecord(event, job: "1f0c8e2d", at: 2.00049, state: state))
        #expect(
            line == """
                {"event":"retried","hedges":0,"job":"1f0c8e2d","pixels":30000000,"pixelsDone":7500000,"rate":3749081,\
                "reason":"a/b left","retries":1,"secondsLeft":6.001,"slotsTotal":6,"systems":2,\
                "tasks":4,"tasksDone":1,"tasksFailed":0,"tasksResumed":0,"time":2,"v":1}

                """)
    }

    @Test(
        "each event has a name of its own",
        arguments: [
            (ProgressEvent.began(pixels: 1, work: 1), "began"), (.stage("x"), "stage"),
            (.planned(tasks: 1, work: 1), "planned"), (.finished(work: 1, system: "a"), "finished"),
            (.failed(work: 1, reason: "r"), "failed"), (.joined(system: "a", slots: 1), "joined"),
            (.left(system: "a"), "left"), (.resumed(tasks: 1, work: 1), "resumed"),
            (.retried(reason: "r"), "retried"), (.hedged(task: 1, slow: "a", system: "b"), "hedged"), (nil, "ended"),
        ] as [(ProgressEvent?, String)])
    func names(event: ProgressEvent?, name: String) {
        #expect(ProgressRecord(event, at: 0, state: ProgressState()).event == name)
    }
}
