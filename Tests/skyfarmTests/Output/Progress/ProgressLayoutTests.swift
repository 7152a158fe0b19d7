import Testing

import Console
import ScanCluster

@Suite struct ProgressLayoutTests {
    private func lines(_ state: ProgressState, columns: Int, rows: Int = 23) -> [String] {
        ProgressLayout(columns: columns, rows: rows).lines(state, at: 2).map(\.plain)
    }

    /// With two retried and one hedged.
    private var troubled: ProgressState {
        var state = ProgressStateTests.begun
        for _ in 0..<2 { state.handle(.retried(reason: "r"), at: 2) }
        state.handle(.hedged(task: 0, slow: "alpha", system: "beta"), at: 2)
        return state
    }

    @Test("a bar with share, rate, time left and troubles, and below it each system with slots and rate")
    func wide() {
        #expect(
            lines(troubled, columns: 80) == [
                "extract [####--------------]  25 %  3.75 Mpix/s  6.0 s left  2 retried  1 hedged",
                "  alpha  2 slots  3.75 Mpix/s", "  beta   4 slots            -",
            ])
    }

    @Test("and its tasks, if they are known and if there is room")
    func tasks() {
        var state = ProgressStateTests.begun
        var slow = SystemSnapshot.sample(name: "beta", slots: 4)
        slow.inFlight = 6
        state.note([.sample(name: "alpha", slots: 2), slow])
        #expect(
            lines(state, columns: 100).dropFirst() == [
                "  alpha  2 slots  3.75 Mpix/s  0 running, 0 scheduled, 1 done, 0.5/s",
                "  beta   4 slots            -  4 running, 2 scheduled, 0 done",
            ])
        #expect(lines(state, columns: 60)[1] == "  alpha  2 slots  3.75 Mpix/s")
    }

    @Test("what does not fit beside the bar flows below it")
    func narrow() {
        #expect(
            lines(troubled, columns: 39) == [
                "extract [#####------------------]  25 %", "  3.75 Mpix/s  6.0 s left  2 retried", "  1 hedged",
                "  alpha  2 slots  3.75 Mpix/s", "  beta   4 slots            -",
            ])
    }

    @Test("no line is too long and there are not too many, whatever the window", arguments: 1...100)
    func limits(columns: Int) {
        var state = troubled
        for index in 0..<40 { state.handle(.joined(system: "a-node-with-a-long-name-\(index)", slots: index), at: 2) }
        for rows in 1...30 {
            let lines = ProgressLayout(columns: columns, rows: rows).lines(state, at: 2)
            #expect((1...rows).contains(lines.count))
            #expect(lines.allSatisfy { $0.count <= columns })
        }
    }

    @Test("systems for which there is no room are summed up")
    func crowd() {
        var state = ProgressStateTests.begun
        for index in 0..<20 { state.handle(.joined(system: "n\(index)", slots: 1), at: 2) }
        state.handle(.finished(work: 10_000_000, system: "n19"), at: 2)
        let lines = lines(state, columns: 80, rows: 6)
        #expect(lines.count == 6 && lines[5] == "  and 18 more, 0 pix/s")
        let all = self.lines(state, columns: 80)
        #expect(all.count == 13 && all.last == "  and 11 more, 0 pix/s")
    }

    @Test("a single system has no line of its own")
    func alone() {
        var state = ProgressStateTests.begun
        state.handle(.left(system: "beta"), at: 2)
        #expect(lines(state, columns: 80).count == 1)
    }

    @Test("names are bold, troubles are coloured")
    func styles() {
        let lines = ProgressLayout(columns: 80, rows: 10).lines(troubled, at: 2)
        #expect(lines[0].colored().hasSuffix("  \u{1b}[33m2 retried\u{1b}[m  \u{1b}[33m1 hedged\u{1b}[m"))
        #expect(lines[1].colored().hasPrefix("  \u{1b}[1malpha\u{1b}[m  2 slots"))
    }
}

extension SystemSnapshot {
    /// A system of this name without tasks.
    fileprivate static func sample(name: String, slots: Int) -> SystemSnapshot {
        var state = Systems.State()
        _ = state.join(id: SystemID(high: 0, low: 1), name: name, slots: slots, depth: slots, isLocal: false)
        return SystemSnapshot(state.members[0], at: Instant(nanoseconds: 0))
    }
}
