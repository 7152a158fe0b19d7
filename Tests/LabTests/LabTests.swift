import Dispatch
import Testing

@Suite("Several hosts", .serialized, .enabled(if: Lab.obstacle == nil, "\(Lab.obstacle ?? "")"))
struct LabTests {
    @Test("scenario", .timeLimit(.minutes(5)), arguments: Lab.runnable)
    func scenario(_ scenario: Lab.Scenario) async {
        // The scenario blocks for seconds: on a thread of Dispatch's, not on the cooperative pool.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "lab").async { continuation.resume(returning: Lab.run(scenario)) }
        }
        #expect(result.status == 0, "\(result.output)")
        // What was measured is worth a look.
        if result.status == 0 { print("\(scenario):\n\(result.output)") }
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
    @Test("every scenario says how many hosts it needs")
    func heads() {
        #expect(Lab.scenarios.count >= 10)
    }
}
