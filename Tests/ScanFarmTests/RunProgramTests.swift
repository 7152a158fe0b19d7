import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing

@Suite("An error of the library")
struct RunProgramTests {
    private struct Two: Error, CustomStringConvertible { let description = "first\nsecond" }

    @Test(
        "is one line, by the conventions of Foundation as well",
        arguments: [
            (ScanError(.noSystem, "no system", system: "alpha") as any Error & Sendable, "alpha: no system"),
            (TaskFailure(message: "threw", system: "alpha", attempt: 2), "threw (on alpha, attempt 2)"),
            (ConnectError(.lost, "is gone", system: "h:1"), "h:1: is gone"),
            (KeyError(.missing, "no key"), "no key"),
        ])
    func words(error: any Error & Sendable, line: String) {
        #expect(oneLine(error) == line)
        #expect(error.localizedDescription == line)
    }

    @Test("is one line if its words have several")
    func lines() { #expect(oneLine(Two()) == "first second") }
}
