import SkyImage
import SkyTestSupport

/// The real images and the ways in which their reference catalogues were made.
struct ScanMode: CustomStringConvertible, Sendable {
    var image: String
    var mode: String

    static let images = [
        "decam_f32_tpv_ext1.fits", "dss_i16_tan.fits", "emmi_i16scaled.fits", "panoptes_u16_rice_sip.fits.fz",
        "sep_image.fits", "spitzer_f32_nan_glon.fits",
    ]
    private static let modes = ["scalar", "conv", "matched"]
    static let all = images.flatMap { image in modes.map { ScanMode(image: image, mode: $0) } }

    /// Position of the mode, from 0.
    var index: Int { Self.modes.firstIndex(of: mode) ?? 0 }

    var description: String { "\(image), \(mode)" }

    var path: String { "\(SkyData.folder)/\(image)" }

    var parameters: ScanParameters {
        var parameters = ScanParameters()
        parameters.noise = mode == "scalar" ? .global : .map
        parameters.filter = mode == "matched" ? .matched : .conv
        return parameters
    }

    func reference() throws -> ReferenceCatalog {
        try ReferenceCatalog(
            contentsOf: "\(SkyData.folder)/ref/\(image.prefix { $0 != "." }).\(mode).const.csv")
    }
}
