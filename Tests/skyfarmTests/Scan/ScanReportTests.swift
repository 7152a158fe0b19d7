import Testing

@testable import skyfarm

@Suite("what a scan says at its end")
struct ScanReportTests {
    @Test(
        "an image is called empty only if no sector is missing",
        arguments: [
            (0, 0, "no sources found"), (1, 0, "1 source"), (7, 0, "7 sources"),
            (0, 3, "0 sources; 3 of 9 sectors missing"), (7, 1, "7 sources; 1 of 9 sectors missing"),
        ])
    func found(sources: Int, missing: Int, words: String) {
        #expect(ScanReport.found(sources: sources, missing: missing, sectors: 9) == words)
    }
}
