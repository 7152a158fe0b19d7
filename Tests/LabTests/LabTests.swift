import Dispatch
import Testing

/// Side by side, as far as the scenarios allow; most of them wait for most of their time.
@Suite(
    "Several hosts", .timeLimit(.minutes(15)), .enabled(if: Lab.unusableReason == nil, "\(Lab.unusableReason ?? "")"))
struct LabTests {
    private static let room = LabRoom(places: 5)

    /// A scenario that failed beside others runs once more, alone: the others may have taken the processor for longer than
    /// its time limits allow. The first output is printed in any case. The time limit includes the wait for room;
    /// ``Lab/run(_:)`` has one for the scenario.
    @Test("scenario", arguments: Lab.runnable)
    func scenario(_ scenario: Lab.Scenario) async {
        var result = await Self.run(scenario, beside: scenario.company)
        if result.status != 0, scenario.company != .nothing {
            print("\(scenario.name) failed beside others and runs once more, alone:\n\(result.output)")
            result = await Self.run(scenario, beside: .nothing)
        }
        #expect(result.status == 0, "\(result.output)")
        if result.status == 0 { print("\(scenario.name), \(result.seconds) s:\n\(result.output)") }
    }

    private static func run(
        _ scenario: Lab.Scenario, beside company: Lab.Company
    ) async -> (status: Int32?, output: String, seconds: Int) {
        let places = await room.enter(company)
        let clock = ContinuousClock()
        let start = clock.now
        // It blocks for seconds: not on the cooperative pool.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "lab").async { continuation.resume(returning: Lab.run(scenario)) }
        }
        await room.leave(places)
        return (result.status, result.output, Int(((clock.now - start) / .seconds(1)).rounded()))
    }

    @Test(
        "every scenario has its tools",
        .enabled(if: Lab.lacking.isEmpty, "lab: \(Lab.lacking); install it with scripts/bootstrap --test"))
    func tools() {
        #expect(!Lab.runnable.isEmpty)
    }
}

@Suite("The lab")
struct LabScriptTests {
    @Test("every scenario states its number of hosts")
    func heads() {
        // Those of the folder: one without the line would be left out.
        #expect(Lab.scenarios.map(\.name) == Lab.names && Lab.names.count >= 36)
    }
}
