import Dispatch
import Testing

@Suite("Several hosts", .serialized, .enabled(if: Lab.unusableReason == nil, "\(Lab.unusableReason ?? "")"))
struct LabTests {
    @Test("scenario", .timeLimit(.minutes(5)), arguments: Lab.runnable.filter { !$0.mostlyWaits })
    func scenario(_ scenario: Lab.Scenario) async { await scenario.check() }

    @Test(
        "every scenario has its tools",
        .enabled(if: Lab.lacking.isEmpty, "lab: \(Lab.lacking); install it with scripts/bootstrap --test"))
    func tools() {
        #expect(!Lab.runnable.isEmpty)
    }
}

/// Scenarios that wait for minutes and use no processor, beside the others.
@Suite("Several hosts, waiting", .enabled(if: Lab.unusableReason == nil, "\(Lab.unusableReason ?? "")"))
struct WaitingLabTests {
    @Test("scenario", .timeLimit(.minutes(5)), arguments: Lab.runnable.filter(\.mostlyWaits))
    func scenario(_ scenario: Lab.Scenario) async { await scenario.check() }
}

extension Lab.Scenario {
    /// Runs the scenario, and prints its measurements if it passes.
    fileprivate func check() async {
        // It blocks for seconds: not on the cooperative pool.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "lab").async { continuation.resume(returning: Lab.run(self)) }
        }
        #expect(result.status == 0, "\(result.output)")
        if result.status == 0 { print("\(self):\n\(result.output)") }
    }
}

@Suite("The lab")
struct LabScriptTests {
    @Test("every scenario states its number of hosts")
    func heads() {
        #expect(Lab.scenarios.count >= 10)
    }
}
