import SkyImage
import Testing

@testable import skyfarm

@Suite("the model of how a scan scales")
struct ScalingModelTests {
    /// 100 tasks of 1 s; link, coordinator and what no task shares cost nothing.
    let ideal = ScalingModel(
        tasks: 100, taskSeconds: 1, taskBytes: 0, linkBytesPerSecond: 1e9, roundTripSeconds: 0, coordinatorSeconds: 0,
        serialSeconds: 0, localSlots: 0, slotsPerNode: 2)

    func model(_ change: (inout ScalingModel) -> Void) -> ScalingModel {
        var model = ideal
        change(&model)
        return model
    }

    private func close(_ value: Double, _ expected: Double) -> Bool { abs(value - expected) < 1e-9 * expected }

    @Test("without other costs the speed-up is the number of slots", arguments: [1, 2, 5, 50])
    func linear(nodes: Int) {
        let forecast = ideal.forecast(nodes: nodes)
        #expect(close(forecast.speedUp, Double(2 * nodes)))
        #expect(forecast.bound == (nodes == 50 ? .tasks : .compute))
    }

    @Test("more slots than tasks do nothing")
    func tasks() {
        #expect(ideal.forecast(nodes: 60) == ScalingModel.Forecast(nodes: 60, speedUp: 100, bound: .tasks))
        // 48 nodes take 100/96 s, which is within a twentieth of the best second.
        #expect(ideal.enoughNodes == 48 && ideal.limit == .tasks)
    }

    @Test("what no task shares limits the speed-up as Amdahl says")
    func serial() {
        let model = model { $0.serialSeconds = 25 }
        // 125 s on one slot; 25 + 100 / 4 on two nodes.
        #expect(close(model.forecast(nodes: 2).speedUp, 2.5))
        #expect(model.forecast(nodes: 2).bound == .compute)
        #expect(model.forecast(nodes: 10).bound == .coordinator)
        #expect(model.forecast(nodes: 50).speedUp < 5)
    }

    @Test("a full link is the limit: all bytes in turn, however many nodes there are")
    func link() {
        let model = model {
            $0.taskBytes = 1e8
            $0.linkBytesPerSecond = 1e9
        }
        // The first task's way, then 10 s for all bytes.
        #expect(close(model.forecast(nodes: 20).speedUp, 100 / 10.1))
        #expect(model.forecast(nodes: 20).bound == .link)
        #expect(model.forecast(nodes: 2).bound == .compute)
        #expect(model.enoughNodes == 5 && model.limit == .link)
    }

    @Test("what this machine scans does not travel")
    func localShare() {
        let model = model {
            $0.taskBytes = 1e9
            $0.localSlots = 2
        }
        #expect(close(model.forecast(nodes: 0).speedUp, 2))
        // The link carries one task a second, half of what a node does; two more are done here. A third of the first
        // task's way counts.
        #expect(close(model.forecast(nodes: 1).speedUp, 300 / 101))
        #expect(model.forecast(nodes: 1).bound == .link)
    }

    @Test("the coordinator is the limit when its part of all tasks takes longer than the slots")
    func coordinator() {
        let model = model { $0.coordinatorSeconds = 0.1 }
        #expect(close(model.forecast(nodes: 40).speedUp, 10))
        #expect(model.forecast(nodes: 40).bound == .coordinator)
        #expect(model.enoughNodes == 5)
    }

    @Test("a way as long as a task is hidden by the task that waits; a longer one is felt")
    func roundTrip() {
        #expect(close(model { $0.roundTripSeconds = 1 }.forecast(nodes: 5).speedUp, 100 / 11))
        // A slot does one task in (1 + 3) / 2 s.
        #expect(close(model { $0.roundTripSeconds = 3 }.forecast(nodes: 5).speedUp, 100 / 23))
    }

    @Test("the forecasts double the nodes up to those that are enough")
    func forecasts() {
        #expect(ideal.forecasts.map(\.nodes) == [1, 2, 4, 8, 16, 32, 48])
        #expect(model { $0.coordinatorSeconds = 0.6 }.forecasts.map(\.nodes) == [1])
    }

    @Test("more nodes are never worse, whatever the costs", arguments: 0..<50)
    func monotone(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        let model = ScalingModel(
            tasks: Int(number(1...500)), taskSeconds: number(0.001...10), taskBytes: number(0...1e8),
            linkBytesPerSecond: number(1e6...1e10), roundTripSeconds: number(0...0.1),
            coordinatorSeconds: number(0...0.1), serialSeconds: number(0...10), localSlots: 0,
            slotsPerNode: number(0.2...64))
        let speedUps = (1...100).map { model.forecast(nodes: $0).speedUp }
        #expect(zip(speedUps, speedUps.dropFirst()).allSatisfy { $0 <= $1 * (1 + 1e-12) })
        let best = model.forecast(nodes: 1_000_000).speedUp
        #expect(model.forecast(nodes: max(1, model.enoughNodes)).speedUp >= best / 1.0501)
    }
}
