import Testing

@testable import skyfarm

@Suite struct ProgressStateTests {
    /// Four bands of 10 Mpix on two nodes, one of them done after two seconds.
    var begun: ProgressState {
        var state = ProgressState()
        state.handle(.stage("extract"), at: 0)
        state.handle(.planned(tasks: 4, pixels: 40_000_000), at: 0)
        state.handle(.nodes(2), at: 0)
        state.handle(.finished(pixels: 10_000_000), at: 2)
        return state
    }

    @Test("the bar shows share, rate, time left and nodes")
    func bar() {
        #expect(
            begun.bar(at: 2, width: 80)
                == "extract [#######-----------------------]  25 %  5.00 Mpix/s  6.0 s left  2 nodes")
    }

    @Test("a narrow terminal gets a shorter bar, a very narrow one none")
    func narrow() {
        #expect(begun.bar(at: 2, width: 60) == "extract [##--------]  25 %  5.00 Mpix/s  6.0 s left  2 nodes")
        #expect(begun.bar(at: 2, width: 30) == "extract 25 %  5.00 Mpix/s  6.0")
        for width in 1...100 { #expect(begun.bar(at: 2, width: width).count <= width) }
    }

    @Test("before anything is done there is no rate, and no division by zero")
    func empty() {
        #expect(ProgressState().bar(at: 0, width: 50) == "[" + String(repeating: "-", count: 30) + "]   0 %  ")
        #expect(ProgressState().line(at: 0) == "0 %, 0 of 0 tasks")
        #expect(ProgressState().summary(at: 0) == "0 of 0 tasks in 0.0 s")
    }

    @Test("retries and failures are shown where there are some")
    func troubles() {
        var state = begun
        state.handle(.retried(reason: "node left"), at: 3)
        state.handle(.failed(pixels: 10_000_000, reason: "broken"), at: 4)
        #expect(
            state.line(at: 4)
                == "extract: 50 %, 1 of 4 tasks, 5.00 Mpix/s, 4.0 s left, 2 nodes, 1 retry, 1 failed")
        state.handle(.retried(reason: "node left"), at: 5)
        state.handle(.hedged(task: 3, slow: "alpha", system: "beta"), at: 6)
        #expect(state.summary(at: 10) == "1 of 4 tasks in 10 s, 2.00 Mpix/s, 2 retries, 1 hedged, 1 failed")
    }

    @Test("the rate is that of late, not of the whole job")
    func rate() throws {
        var state = ProgressState()
        state.handle(.planned(tasks: 100, pixels: 100_000), at: 0)
        for second in 1...40 { state.handle(.finished(pixels: second <= 20 ? 10 : 1000), at: Double(second)) }
        let rate = try #require(state.rate(at: 40))
        #expect((900...1000).contains(rate))
    }

    @Test("work that becomes known later is added")
    func growth() {
        var state = begun
        state.handle(.planned(tasks: 1, pixels: 10_000_000), at: 3)
        #expect(state.share == 0.2)
        #expect(state.tasks == 5)
    }

    @Test("tasks of an earlier run count as done, but not as fast")
    func resumed() {
        var state = ProgressState()
        state.handle(.planned(tasks: 4, pixels: 40_000_000), at: 0)
        state.handle(.resumed(tasks: 3, pixels: 30_000_000), at: 1)
        #expect(state.share == 0.75 && state.tasksDone == 3)
        #expect(state.rate(at: 1) == nil)
        state.handle(.finished(pixels: 10_000_000), at: 2)
        #expect(state.rate(at: 2) == 5_000_000)
        #expect(state.summary(at: 2) == "4 of 4 tasks in 2.0 s, 3 of them by an earlier run")
    }

    @Test("a record holds the event and the totals after it, in one line of JSON")
    func record() throws {
        var state = begun
        let event = ProgressEvent.retried(reason: "a/b left")
        state.handle(event, at: 2.00049)
        let line = try JSONOutput.line(ProgressRecord(event, at: 2.00049, state: state))
        #expect(
            line == """
                {"event":"retried","hedges":0,"nodes":2,"pixels":40000000,"pixelsDone":10000000,"reason":"a/b left","retries":1,\
                "tasks":4,"tasksDone":1,"tasksFailed":0,"tasksResumed":0,"time":2,"v":1}

                """)
    }

    @Test(
        "each event has a name of its own",
        arguments: [
            (ProgressEvent.stage("x"), "stage"), (.planned(tasks: 1, pixels: 1), "planned"),
            (.finished(pixels: 1), "finished"), (.failed(pixels: 1, reason: "r"), "failed"), (.nodes(1), "nodes"),
            (.resumed(tasks: 1, pixels: 1), "resumed"), (.retried(reason: "r"), "retried"),
            (.hedged(task: 1, slow: "a", system: "b"), "hedged"),
        ])
    func names(event: ProgressEvent, name: String) {
        #expect(ProgressRecord(event, at: 0, state: ProgressState()).event == name)
    }
}
