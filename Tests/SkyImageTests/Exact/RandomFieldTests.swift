import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyExtraction
import SkyMeasurement

@Suite("seamless scan of random fields")
struct RandomFieldTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(UInt64.init) ?? 1
    static let cases = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_CASES"].flatMap(UInt64.init) ?? 150

    @Test("a catalogue equals that of one SEP run over the whole image")
    func equalsWholeImage() throws {
        var tally = Tally()
        for seed in Self.first..<Self.first + Self.cases { try Self.check(seed, &tally) }
        // The fields must be hard enough to need every step.
        print(
            "\(Self.cases) fields: \(tally.sources) sources, \(tally.weighted) with weights, "
                + "\(tally.rescans) windows scanned again")
        #expect(tally.sources > 0 && tally.weighted > 0 && tally.rescans > 0 && tally.apertures > 0)
    }

    // 1585: half-flux radius where last bits decide. 11034: islands that touch only at the edge of a band's window.
    @Test("fields whose catalogues once differed give equal catalogues", arguments: [UInt64(1585), 11034])
    func isMended(seed: UInt64) throws {
        var tally = Tally()
        try Self.check(seed, &tally)
        #expect(tally.sources > 0)
    }

    private struct Tally {
        var sources = 0
        var weighted = 0
        var rescans = 0
        var apertures = 0
    }

    // Rounding relative to a window moved barycentres that lie on a pixel's centre by a last bit, and so the aperture.
    @Test("a catalogue of small counts does not depend on the bands in any bit")
    func isExactForCounts() throws {
        var tally = Tally()
        for seed in Self.first..<Self.first + max(12, Self.cases / 10) {
            try Self.check(seed, field: RandomField(countsFrom: seed), &tally)
        }
        #expect(tally.sources > 0)
    }

    private static func check(_ seed: UInt64, _ tally: inout Tally) throws {
        try check(seed, field: RandomField(seed: seed), &tally)
    }

    private static func check(_ seed: UInt64, field: RandomField, _ tally: inout Tally) throws {
        let (width, height) = (field.image.width, field.image.height)
        let reference = try WholeImageSEP(image: field.image, parameters: field.parameters).run()
        var random = SplitMix64(seed: seed)
        let salt = random.next()
        func scan(rows: Int) throws -> SerialScan {
            var scan = try SerialScan(
                width: width, height: height, parameters: field.parameters, requestedRows: rows)
            scan.order = { count in
                var random = SplitMix64(seed: salt)
                return Array(0..<count).shuffled(using: &random)
            }
            return scan
        }
        let bands = try scan(rows: field.rows)
        do {
            let compared = try FaultsOfSEP.$areKept.withValue(true) { try field.image.withView(bands.run) }
            tally.rescans += compared.rescans
            tally.apertures += compared.apertureWindows
            let differences = compared.sources.differences(to: reference, .exceptHalfFluxRadius)
            #expect(differences == [], "seed \(seed): \(width) x \(height), bands of \(bands.plan.rows) rows")
            let result = try field.image.withView(bands.run)
            let whole = try field.image.withView(scan(rows: height).run).sources
            let other = result.sources.differences(to: whole, .exact)
            #expect(other == [], "seed \(seed): \(width) x \(height), bands of \(bands.plan.rows) rows and one band")
        } catch {
            // SEP ignores the mask on an image's first rows, and would find sources in a wholly masked one.
            if try field.image.withView({ $0.maskedCount }) == width * height { return }
            Issue.record("seed \(seed): \(error)")
        }
        tally.sources += reference.count
        if field.parameters.noise == .weights { tally.weighted += reference.count }
    }
}
