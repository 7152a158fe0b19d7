import Dispatch
import Testing

@Suite("Several hosts", .serialized, .enabled(if: Lab.unusableReason == nil, "\(Lab.unusableReason ?? "")"))
struct LabTests {
    @Test("scenario", .timeLimit(.minutes(5)), arguments: Lab.runnable)
    func scenario(_ scenario: Lab.Scenario) async {
        // The scenario blocks for seconds: not on the cooperative pool.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "lab").async { continuation.resume(returning: Lab.run(scenario)) }
        }
        #expect(result.status == 0, "\(result.output)")
        // Prints the measurements of passed scenarios.
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
    @Test("every scenario states its number of hosts")
    func heads() {
        #expect(Lab.scenarios.count >= 10)
    }
}
