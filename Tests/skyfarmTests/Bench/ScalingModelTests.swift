import CommandLineKit
import ScanBasics
import Testing

@testable import ScanBench

@Suite("the model of how a scan scales")
struct ScalingModelTests {
    /// One step of 100 tasks of 1 s; link, coordinator and what no task shares cost nothing.
    let ideal = ScalingModel(
        steps: [.init(tasks: 100, taskSeconds: 1, taskBytes: 0)], linkBytesPerSecond: 1e9, roundTripSeconds: 0,
        coordinatorSeconds: 0, serialSeconds: 0, localSlots: 0, slotsPerNode: 2, slotSpeed: 1, slowdown: 1)

    func model(_ change: (inout ScalingModel) -> Void) -> ScalingModel {
        var model = ideal
        change(&model)
        return model
    }

    private func close(_ value: Double, _ expected: Double) -> Bool { abs(value - expected) < 1e-9 * expected }

    @Test("without other costs the speed-up is the number of slots", arguments: [1, 2, 5, 50])
    func linear(nodes: Int) {
        let forecast = ideal.forecast(nodes: nodes)
        #expect(close(forecast.speedUp, Double(2 * nodes)) && close(forecast.seconds, 50 / Double(nodes)))
        #expect(forecast.bound == (nodes == 50 ? .tasks : .compute))
    }

    @Test("tasks are whole: as many rounds as the last one needs")
    func rounds() {
        // 6 slots: 16 rounds are 96 tasks.
        #expect(close(ideal.forecast(nodes: 3).seconds, 17))
        // Slots of half the speed do 50 tasks in 100 s while two fast ones here do 100: of these 34 and 66.
        let mixed = model { ($0.localSlots, $0.slotSpeed) = (2, 0.5) }
        #expect(close(mixed.forecast(nodes: 1).seconds, 34))
    }

    @Test("more slots than tasks do nothing")
    func tasks() {
        let forecast = ideal.forecast(nodes: 60)
        #expect(close(forecast.speedUp, 100) && forecast.bound == .tasks)
        #expect(ideal.enoughNodes == 50 && ideal.limit == .tasks)
    }

    @Test("what no task shares limits the speed-up as Amdahl says")
    func serial() {
        let model = model { $0.serialSeconds = 25 }
        // 125 s on one slot; 25 + 100 / 4 on two nodes.
        #expect(close(model.forecast(nodes: 2).speedUp, 2.5))
        #expect(model.forecast(nodes: 1).bound == .compute)
        #expect(model.forecast(nodes: 10).bound == .coordinator)
        #expect(model.forecast(nodes: 50).speedUp < 5)
    }

    @Test("a full link is the limit: all bytes in turn, however many nodes there are, and the last task")
    func link() {
        let model = model {
            $0.steps[0].taskBytes = 1e8
            $0.linkBytesPerSecond = 1e9
        }
        #expect(close(model.forecast(nodes: 20).seconds, 11))
        #expect(model.forecast(nodes: 20).bound == .link)
        // The transfer of the first task, and 25 rounds.
        #expect(close(model.forecast(nodes: 2).seconds, 25.1))
        #expect(model.forecast(nodes: 2).bound == .compute)
        #expect(model.enoughNodes == 5 && model.limit == .link)
    }

    @Test("a step that needs no pixels does not wait for a full link")
    func steps() {
        let model = model {
            $0.steps = [
                .init(tasks: 100, taskSeconds: 0.25, taskBytes: 1e8), .init(tasks: 100, taskSeconds: 1, taskBytes: 0),
            ]
        }
        // 100 ways and the last task; then 5 rounds.
        #expect(close(model.forecast(nodes: 10).seconds, 10.25 + 5))
        #expect(model.forecast(nodes: 10).bound == .link)
        #expect(close(model.forecast(nodes: 1).seconds, 0.1 + 12.5 + 50))
        #expect(model.forecast(nodes: 1).bound == .compute)
    }

    @Test("what nodes keep from the step before does not travel again, but to other systems it does")
    func kept() {
        let model = model {
            $0.steps = [
                .init(tasks: 100, taskSeconds: 0.5, taskBytes: 1e9),
                .init(tasks: 100, taskSeconds: 2, taskBytes: 1e9, isKept: true),
            ]
        }
        // All of them are kept.
        #expect(close(model.forecast(nodes: 50).seconds, 100.5 + 2))
        var mixed = model
        mixed.localSlots = 2
        // In the first step two slots do 4 tasks here while one travels: after 20 s 80 are done here and 19 there. In the
        // second one, after 40 s, 40 are done here, those 20 there, and 38 that had to travel.
        #expect(close(mixed.forecast(nodes: 50).seconds, 20.5 + 42))
        #expect(mixed.forecast(nodes: 50).bound == .link)
    }

    @Test("over another link all else stays the same")
    func otherLink() throws {
        let model = model { $0.steps[0].taskBytes = 1e8 }
        let rate = try #require(LinkRate.form.parse("100M"))
        let seconds = model.over(rate).forecast(nodes: 50).seconds
        // 8 s a task at 100 Mbit/s, and what frames and TLS add.
        #expect(seconds > 1.06 * 801 && seconds < 1.07 * 801)
        #expect(model.over(LinkRate(bitsPerSecond: 1e15)).forecast(nodes: 5).bound == .compute)
    }

    @Test("what this machine scans does not travel")
    func localShare() {
        let model = model {
            $0.steps[0].taskBytes = 1e9
            $0.localSlots = 2
        }
        #expect(close(model.forecast(nodes: 0).speedUp, 2))
        // The link carries one task a second, half of what a node does, from the second second on; two are done here.
        #expect(close(model.forecast(nodes: 1).seconds, 34))
        #expect(model.forecast(nodes: 1).bound == .link)
    }

    @Test("the coordinator is the limit when its part of all tasks takes longer than the slots")
    func coordinator() {
        let model = model { $0.coordinatorSeconds = 10 }
        // All tasks in turn, and the last one.
        #expect(close(model.forecast(nodes: 40).seconds, 11))
        #expect(model.forecast(nodes: 40).bound == .coordinator)
        #expect(model.enoughNodes == 5)
    }

    @Test("what is scanned here costs the coordinator nothing")
    func unsent() {
        let model = model {
            $0.steps = [.init(tasks: 100, taskSeconds: 1, taskBytes: 1e6)]
            ($0.localSlots, $0.coordinatorSeconds) = (4, 100)
        }
        #expect(close(model.forecast(nodes: 0).seconds, 25))
        // One task a second is sent, from the first second on, and done a second later; four are done here.
        #expect(close(model.forecast(nodes: 8).seconds, 21))
        #expect(model.forecast(nodes: 8).bound == .coordinator)
    }

    @Test("a way as long as a task is hidden by the task that waits; a longer one is felt")
    func roundTrip() {
        #expect(close(model { $0.roundTripSeconds = 1 }.forecast(nodes: 5).speedUp, 100 / 11))
        // A slot does one task in (1 + 3) / 2 s.
        #expect(close(model { $0.roundTripSeconds = 3 }.forecast(nodes: 5).speedUp, 100 / 23))
    }

    @Test("slots that share memory are slower together, and one slot is the measure")
    func slowdown() {
        #expect(close(model { $0.slowdown = 1.25 }.forecast(nodes: 5).speedUp, 8))
    }

    @Test("the forecasts double the nodes up to those that are enough")
    func forecasts() {
        #expect(ideal.forecasts.map(\.nodes) == [1, 2, 4, 8, 16, 32, 50])
        #expect(model { $0.coordinatorSeconds = 60 }.forecasts.map(\.nodes) == [1])
    }

    @Test("without any system the scan never ends")
    func nobody() {
        #expect(ideal.forecast(nodes: 0).seconds == .infinity)
    }

    @Test("more nodes are never worse, whatever the costs", arguments: 0..<50)
    func monotone(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        let steps = (0..<3).map { _ in
            ScalingModel.Step(
                tasks: Int(number(0...200)), taskSeconds: number(0...10), taskBytes: number(0...1e8))
        }
        let model = ScalingModel(
            steps: steps, linkBytesPerSecond: number(1e6...1e10), roundTripSeconds: number(0...0.1),
            coordinatorSeconds: number(0...10), serialSeconds: number(0...10), localSlots: 0,
            slotsPerNode: number(0.2...64), slotSpeed: number(0.1...2), slowdown: number(1...2))
        let speedUps = (1...100).map { model.forecast(nodes: $0).speedUp }
        #expect(zip(speedUps, speedUps.dropFirst()).allSatisfy { $0 <= $1 * (1 + 1e-9) })
        let best = model.forecast(nodes: 1_000_000).speedUp
        #expect(model.forecast(nodes: max(1, model.enoughNodes)).speedUp >= best / 1.0501)
    }

    @Test("a link is named as it is sold", arguments: [("100M", 1e8), ("2.5G", 2.5e9), ("64k", 64e3), ("1e9", 1e9)])
    func rates(text: String, rate: Double) {
        #expect(LinkRate.form.parse(text)?.bitsPerSecond == rate)
    }

    @Test("invalid rates of a link", arguments: ["", "fast", "G", "-1G", "0", "1T", "nanM", "inf", "1e13"])
    func noRates(text: String) {
        #expect(LinkRate.form.parse(text) == nil)
    }
}
