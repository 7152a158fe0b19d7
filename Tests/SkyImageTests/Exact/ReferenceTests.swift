import ScanBasics
import Testing

import SkyExtraction
import SkyMeasurement
import SkyTestSupport

@Suite("seamless scan of real images", .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)))
struct ReferenceTests {
    enum Mode: String, CaseIterable {
        case scalar, conv, matched

        var parameters: ScanParameters {
            var parameters = ScanParameters()
            parameters.noise = self == .scalar ? .global : .map
            parameters.filter = self == .matched ? .matched : .conv
            return parameters
        }
    }

    @Test("a catalogue equals that of the whole image for every band height", arguments: RealImages.all, Mode.allCases)
    func equalsWholeImage(real: RealImage, mode: Mode) throws {
        let image = try TestImage(contentsOf: real.path)
        let reference = try RealImages.reference(real, mode: mode.rawValue)
        for rows in [64, 128, 320, image.height] {
            var scan = try SerialScan(
                width: image.width, height: image.height, parameters: mode.parameters, requestedRows: rows)
            var generator = SplitMix64(seed: UInt64(rows))
            let seed = generator.next()
            scan.order = { count in
                var generator = SplitMix64(seed: seed)
                return Array(0..<count).shuffled(using: &generator)
            }
            let result = try FaultsOfSEP.$areKept.withValue(true) { try image.withView(scan.run) }
            #expect(reference.differences(to: result.sources) == [], "bands of \(rows) rows")
        }
    }
}
