/// A key of SExtractor's configuration, with its default and the extent of its support.
package struct SexKey: Sendable {
    /// How `skyfarm sex` treats the key.
    package enum Support: Equatable, Sendable {
        /// The key is used.
        case used
        /// The key does not affect catalogues, and is ignored.
        case ignored
        /// Only these values, in capitals, are supported; others would change the catalogue.
        case only([String])
    }

    package let name: String
    /// The built-in value, as written in a file.
    let fallback: String
    let support: Support
    let meaning: String
    /// Whether `-d` prints the key; `-dd` prints all keys.
    let isCommon: Bool

    private init(_ name: String, _ fallback: String, _ support: Support, _ meaning: String, common: Bool = true) {
        (self.name, self.fallback, self.support) = (name, fallback, support)
        (self.meaning, isCommon) = (meaning, common)
    }

    package static func named(_ name: String) -> SexKey? { all.first { $0.name == name } }

    package static let all: [SexKey] = catalogue + detection + maps + photometry + background + rest

    private static let catalogue = [
        SexKey("CATALOG_NAME", "test.cat", .used, "file of the catalogue; STDOUT: standard output"),
        SexKey(
            "CATALOG_TYPE", "ASCII_HEAD", .used,
            "NONE, ASCII, ASCII_HEAD, ASCII_SKYCAT, ASCII_VOTABLE, FITS_1.0 or FITS_LDAC"),
        SexKey("PARAMETERS_NAME", "default.param", .used, "file of the columns"),
    ]

    private static let detection = [
        SexKey("DETECT_TYPE", "CCD", .only(["CCD"]), "kind of detector"),
        SexKey("DETECT_MINAREA", "5", .used, "fewest pixels above the threshold"),
        SexKey("DETECT_MAXAREA", "0", .only(["0"]), "most pixels, 0: any number", common: false),
        SexKey("THRESH_TYPE", "RELATIVE", .only(["RELATIVE"]), "unit of thresholds: the noise", common: false),
        SexKey("DETECT_THRESH", "1.5", .used, "threshold of the detection, in units of the noise"),
        SexKey("ANALYSIS_THRESH", "1.5", .used, "threshold of isophotal areas, FWHM and CLASS_STAR"),
        SexKey("FILTER", "Y", .used, "whether the image is filtered before the detection"),
        SexKey("FILTER_NAME", "default.conv", .used, "file of the filter"),
        SexKey("FILTER_THRESH", "", .only([""]), "limits of a neural filter", common: false),
        SexKey("DEBLEND_NTHRESH", "32", .used, "number of deblending thresholds"),
        SexKey("DEBLEND_MINCONT", "0.005", .used, "least contrast of a separate source"),
        SexKey("CLEAN", "Y", .used, "whether spurious detections are removed"),
        SexKey("CLEAN_PARAM", "1.0", .used, "exponent of the wings that cleaning assumes"),
        SexKey("MASK_TYPE", "CORRECT", .used, "pixels of neighbours: NONE, BLANK or CORRECT"),
    ]

    private static let maps = [
        SexKey("WEIGHT_TYPE", "NONE", .used, "NONE, BACKGROUND, MAP_WEIGHT, MAP_RMS or MAP_VAR"),
        SexKey("RESCALE_WEIGHTS", "Y", .used, "whether weights are scaled to the noise", common: false),
        SexKey("WEIGHT_IMAGE", "weight.fits", .used, "file of the weight map"),
        SexKey("WEIGHT_GAIN", "Y", .used, "whether weights scale the gain", common: false),
        SexKey("WEIGHT_THRESH", "", .only(["", "0", "0.0"]), "weights of bad pixels", common: false),
        SexKey("FLAG_IMAGE", "flag.fits", .used, "file of the flag image"),
        SexKey("FLAG_TYPE", "OR", .only(["OR"]), "how flags are combined"),
        SexKey("DGEO_TYPE", "NONE", .only(["NONE"]), "map of differential geometry", common: false),
        SexKey("DGEO_IMAGE", "dgeo.fits", .ignored, "file of that map", common: false),
        SexKey("INTERP_MAXXLAG", "16", .ignored, "reach of interpolation over bad pixels", common: false),
        SexKey("INTERP_MAXYLAG", "16", .ignored, "reach of interpolation over bad pixels", common: false),
        SexKey("INTERP_TYPE", "ALL", .ignored, "interpolation over bad pixels: not done", common: false),
    ]

    private static let photometry = [
        SexKey("PHOT_APERTURES", "5", .used, "diameters of apertures, in pixels"),
        SexKey("PHOT_AUTOPARAMS", "2.5, 3.5", .used, "Kron factor and least radius of FLUX_AUTO"),
        SexKey("PHOT_PETROPARAMS", "2.0, 3.5", .used, "Petrosian factor and least radius of FLUX_PETRO"),
        SexKey(
            "PHOT_AUTOAPERS", "0.0,0.0", .only(["0", "0.0", "0.", "0.00"]), "least apertures of FLUX_AUTO",
            common: false),
        SexKey("PHOT_FLUXFRAC", "0.5", .used, "shares of the flux for FLUX_RADIUS", common: false),
        SexKey("SATUR_LEVEL", "50000.0", .used, "level of saturated pixels"),
        SexKey("SATUR_KEY", "SATURATE", .used, "keyword of that level, which wins"),
        SexKey("MAG_ZEROPOINT", "0.0", .used, "magnitude of a flux of 1"),
        SexKey("MAG_GAMMA", "4.0", .ignored, "gamma of a photographic emulsion"),
        SexKey("GAIN", "0.0", .used, "electrons per unit; 0: no photon noise"),
        SexKey("GAIN_KEY", "GAIN", .used, "keyword of the gain, which wins"),
        SexKey("PIXEL_SCALE", "1.0", .used, "side of a pixel in arcseconds; 0: by the header"),
        SexKey("SEEING_FWHM", "1.2", .used, "width of stars in arcseconds"),
        SexKey("STARNNW_NAME", "default.nnw", .used, "file of the weights of CLASS_STAR"),
    ]

    private static let background = [
        SexKey("BACK_TYPE", "AUTO", .used, "background: AUTO or MANUAL", common: false),
        SexKey("BACK_VALUE", "0.0", .used, "background of BACK_TYPE MANUAL", common: false),
        SexKey("BACK_SIZE", "64", .used, "width and height of a background mesh"),
        SexKey("BACK_FILTERSIZE", "3", .used, "width and height of the median filter, in meshes"),
        SexKey("BACKPHOTO_TYPE", "GLOBAL", .used, "background of photometry: GLOBAL or LOCAL"),
        SexKey("BACKPHOTO_THICK", "24", .used, "width of the frame of BACKPHOTO_TYPE LOCAL", common: false),
        SexKey("BACK_FILTTHRESH", "0.0", .only(["0", "0.0", "0."]), "threshold of the median filter", common: false),
        SexKey("CHECKIMAGE_TYPE", "NONE", .used, "check images: NONE, SEGMENTATION, BACKGROUND, OBJECTS ..."),
        SexKey("CHECKIMAGE_NAME", "check.fits", .used, "files of check images"),
    ]

    private static let rest = [
        SexKey("MEMORY_OBJSTACK", "3000", .ignored, "size of a buffer"),
        SexKey("MEMORY_PIXSTACK", "300000", .ignored, "size of a buffer"),
        SexKey("MEMORY_BUFSIZE", "1024", .ignored, "size of a buffer"),
        SexKey("ASSOC_NAME", "sky.list", .used, "list of positions for VECTOR_ASSOC", common: false),
        SexKey("ASSOC_DATA", "2,3,4", .used, "columns of VECTOR_ASSOC; 0: all", common: false),
        SexKey("ASSOC_PARAMS", "2,3,4", .used, "columns of x, y and the weight", common: false),
        SexKey("ASSOCCOORD_TYPE", "PIXEL", .used, "coordinates of the list: PIXEL or WORLD", common: false),
        SexKey("ASSOC_RADIUS", "2.0", .used, "radius of the association, in pixels", common: false),
        SexKey(
            "ASSOC_TYPE", "NEAREST", .used, "FIRST, NEAREST, MEAN, MAG_MEAN, SUM, MAG_SUM, MIN or MAX", common: false),
        SexKey("ASSOCSELEC_TYPE", "MATCHED", .used, "sources written: ALL, MATCHED or -MATCHED", common: false),
        SexKey("VERBOSE_TYPE", "NORMAL", .used, "QUIET, NORMAL or FULL"),
        SexKey("HEADER_SUFFIX", ".head", .used, "ending of files of further header cards"),
        SexKey("WRITE_XML", "N", .only(["N"]), "whether a file of the run's metadata is written"),
        SexKey("XML_NAME", "sex.xml", .ignored, "name of that file"),
        SexKey("XSL_URL", "", .ignored, "style of that file", common: false),
        SexKey("NTHREADS", "1", .ignored, "number of threads: see --local-slots", common: false),
        SexKey("FITS_UNSIGNED", "N", .only(["N"]), "whether integers are unsigned", common: false),
        SexKey("PSF_NAME", "default.psf", .used, "file of the point spread function, of PSFEx", common: false),
        SexKey("PSF_NMAX", "1", .ignored, "number of functions to fit", common: false),
        SexKey("PATTERN_TYPE", "RINGS-HARMONIC", .ignored, "patterns of profiles", common: false),
        SexKey("SOM_NAME", "default.som", .ignored, "file of a self-organising map", common: false),
        SexKey("PSFDISPLAY_TYPE", "SPLIT", .ignored, "display of fits", common: false),
    ]

    /// Returns a configuration file with the built-in values, for `-d` and `-dd`.
    package static func file(all isComplete: Bool) -> String {
        "# Configuration of skyfarm sex\n\n"
            + all.filter { isComplete || $0.isCommon }.map { key in
                let name = key.name.padding(17)
                return "\(name)\(key.fallback.padding(max(15, key.fallback.count + 1)))# \(key.meaning)\n"
            }.joined()
    }
}

extension String {
    fileprivate func padding(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
