import Foundation
import Testing

@testable import SkyImage

@Suite("seamless scan of random fields")
struct RandomFieldTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(UInt64.init) ?? 1
    static let cases = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_CASES"].flatMap(UInt64.init) ?? 150

    @Test("a catalogue equals that of one SEP run over the whole image")
    func equalsWholeImage() throws {
        var sources = 0
        var rescans = 0
        var apertures = 0
        var weighted = 0
        for seed in Self.first..<Self.first + Self.cases {
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
                rescans += result.rescans
                apertures += result.apertureWindows
                let differences = result.sources.differences(to: reference)
                #expect(differences == [], "seed \(seed): \(width) x \(height), bands of \(scan.plan.rows) rows")
            } catch {
                // SEP ignores the mask on an image's first rows, and would find sources in a wholly masked one.
                if try field.image.withView({ $0.maskedCount }) == width * height { continue }
                Issue.record("seed \(seed): \(error)")
            }
            sources += reference.count
            if field.parameters.noise == .weights { weighted += reference.count }
        }
        // The fields must be hard enough to need every step.
        print("\(Self.cases) fields: \(sources) sources, \(weighted) with weights, \(rescans) windows scanned again")
        #expect(sources > 0 && weighted > 0 && rescans > 0 && apertures > 0)
    }
}
