import Foundation
import ScanBasics
import SkyTestSupport
import Testing

@testable import SkyImage

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

    private static func check(_ seed: UInt64, _ tally: inout Tally) throws {
        let field = RandomField(seed: seed)
        let (width, height) = (field.image.width, field.image.height)
        let reference = try WholeImageSEP(image: field.image, parameters: field.parameters).run()
        var scan = try SerialScan(
            width: width, height: height, parameters: field.parameters, requestedRows: field.rows)
        var random = SplitMix64(seed: seed)
        let salt = random.next()
        scan.order = { count in
            var random = SplitMix64(seed: salt)
            return Array(0..<count).shuffled(using: &random)
        }
        do {
            let result = try field.image.withView(scan.run)
            tally.rescans += result.rescans
            tally.apertures += result.apertureWindows
            let differences = result.sources.differences(to: reference)
            #expect(differences == [], "seed \(seed): \(width) x \(height), bands of \(scan.plan.rows) rows")
        } catch {
            // SEP ignores the mask on an image's first rows, and would find sources in a wholly masked one.
            if try field.image.withView({ $0.maskedCount }) == width * height { return }
            Issue.record("seed \(seed): \(error)")
        }
        tally.sources += reference.count
        if field.parameters.noise == .weights { tally.weighted += reference.count }
    }
}
