/// A real image of Debian's package `eso-midas-testdata`, or of the folder ``SkyData``.
package struct RealImage: Sendable, CustomStringConvertible {
    package var name: String
    package var path: String
    /// The HDU of the image, from 0.
    package var hdu = 0
    package var hasCoordinates = true
    /// Whether the file has no other image.
    package var isOnly = true
    /// The path of its weight map.
    package var weights: String?

    package var description: String { name }
}

/// The real images that this machine has.
package enum RealImages {
    /// Why a test that needs images does not run.
    package static let missing =
        "needs real images: install eso-midas-testdata with scripts/bootstrap --test, or set SKYFARM_TEST_DATA"

    /// Frames of several instruments and sample types, each below 8 MB.
    package static let frames: [RealImage] = [
        frame("ISAAC.2006-04-13T06:32:38.944.fits"), frame("ccd.fits", hasCoordinates: false), frame("dss_test1.fits"),
        frame("vimos.fits", hdu: 1, hasCoordinates: false, isOnly: false), frame("wcstest.mt"),
    ].compactMap(\.self)

    /// Those of the folder ``SkyData``.
    package static let sky: [RealImage] =
        SkyData.isPresent
        ? [
            sky("decam_f32_tpv_ext1.fits", hdu: 1), sky("dss_i16_tan.fits"),
            sky("emmi_i16scaled.fits", hasCoordinates: false, weights: "emmi_i16scaled.weight.fits"),
            sky("panoptes_u16_rice_sip.fits.fz", hdu: 1), sky("sep_image.fits", hasCoordinates: false),
            sky("spitzer_f32_nan_glon.fits"),
        ] : []

    package static let all = frames + sky

    /// Those with weight maps: counts of photons with their map of exposures, whose header astropy cannot read, and one
    /// of the sky images.
    package static let weighted =
        [frame("image_M12c.fits", weights: "expo_map_M12c.fits")].compactMap(\.self) + sky.filter { $0.weights != nil }

    /// The catalogue of a whole image by SEP under the fixed draw, from the folder ``SkyData`` or made now. The mode is
    /// `scalar`, `conv` or `matched`.
    package static func reference(_ image: RealImage, mode: String) throws -> ReferenceCatalog {
        if image.path.hasPrefix(SkyData.folder) {
            return try ReferenceCatalog(
                contentsOf: "\(SkyData.folder)/ref/\(image.name.prefix { $0 != "." }).\(mode).const.csv")
        }
        return try PythonSEP.catalogue(of: image.path, mode: mode, in: references.get())
    }

    /// The catalogues of the frames, made once per process.
    private static let references = Result {
        let folder = try TemporaryFolder()
        try PythonSEP.makeCatalogues(of: frames.map(\.path), modes: ["scalar", "conv", "matched"], in: folder)
        return folder
    }

    private static func frame(
        _ name: String, hdu: Int = 0, hasCoordinates: Bool = true, isOnly: Bool = true, weights: String? = nil
    ) -> RealImage? {
        guard let path = MidasFrames.path(name) else { return nil }
        return RealImage(
            name: name, path: path, hdu: hdu, hasCoordinates: hasCoordinates, isOnly: isOnly,
            weights: weights.flatMap(MidasFrames.path))
    }

    private static func sky(
        _ name: String, hdu: Int = 0, hasCoordinates: Bool = true, weights: String? = nil
    ) -> RealImage {
        RealImage(
            name: name, path: "\(SkyData.folder)/\(name)", hdu: hdu, hasCoordinates: hasCoordinates,
            weights: weights.map { "\(SkyData.folder)/\($0)" })
    }
}
