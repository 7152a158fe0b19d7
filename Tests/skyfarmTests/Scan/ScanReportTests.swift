import Testing

import ImageScanning

@Suite("what a scan says at its end")
struct ScanReportTests {
    @Test(
        "an image is called empty only if no sector is missing",
        arguments: [
            (0, 0, "no sources found"), (1, 0, "1 source"), (7, 0, "7 sources"),
            (0, 3, "0 sources; 3 of 9 sectors missing"), (7, 1, "7 sources; 1 of 9 sectors missing"),
        ])
    func found(sources: Int, missing: Int, words: String) {
        let found = ScanReport.found(sources: sources, missing: missing, sectors: 9, pixels: 1000, masked: 0)
        #expect(found == words)
    }

    @Test(
        "an image without sources of which less than 5 % is not masked says so",
        arguments: [
            (0, 950, "no sources found"), (0, 951, "no sources found (only 49 of 1000 pixels unmasked)"),
            (0, 999, "no sources found (only 1 of 1000 pixels unmasked)"), (2, 999, "2 sources"),
        ])
    func masked(sources: Int, masked: Int, words: String) {
        let found = ScanReport.found(sources: sources, missing: 0, sectors: 9, pixels: 1000, masked: masked)
        #expect(found == words)
    }
}
