import ScanBasics
import Testing

@testable import SkyImage
import SkyTestSupport

@Suite("seamless scan of real images", .enabled(if: SkyData.isPresent, Comment(rawValue: SkyData.missing)))
struct ReferenceTests {
    static let images = [
        "decam_f32_tpv_ext1.fits", "dss_i16_tan.fits", "emmi_i16scaled.fits", "panoptes_u16_rice_sip.fits.fz",
        "sep_image.fits", "spitzer_f32_nan_glon.fits",
    ]

    enum Mode: String, CaseIterable {
        case scalar, conv, matched

        var parameters: ScanParameters {
            var parameters = ScanParameters()
            parameters.noise = self == .scalar ? .global : .map
            parameters.filter = self == .matched ? .matched : .conv
            return parameters
        }
    }

    @Test("a catalogue equals that of the whole image for every band height", arguments: images, Mode.allCases)
    func equalsWholeImage(name: String, mode: Mode) throws {
        let image = try TestImage(contentsOf: SkyData.folder + "/" + name)
        let base = name.split(separator: ".")[0]
        let reference = try ReferenceCatalog(
            contentsOf: SkyData.folder + "/ref/\(base).\(mode.rawValue).const.csv")
        for rows in [64, 128, 320, image.height] {
            var scan = try SerialScan(
                width: image.width, height: image.height, parameters: mode.parameters, requestedRows: rows)
            var generator = SplitMix64(seed: UInt64(rows))
            let seed = generator.next()
            scan.order = { count in
                var generator = SplitMix64(seed: seed)
                return Array(0..<count).shuffled(using: &generator)
            }
            let result = try image.withView(scan.run)
            #expect(reference.differences(to: result.sources) == [], "bands of \(rows) rows")
        }
    }
}
