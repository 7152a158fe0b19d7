import CommandLineKit
import Foundation
import ImageScanning
import SExtractorCommand
import SkyExtraction
import SkyFITS
import SkyScan
import Testing

@Suite("configurations of SExtractor")
struct SexConfigurationTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        _ = try scene.write("NUMBER\nMAG_APER(2)\n".utf8, "a.param")
    }

    /// The options of an image with this configuration file and these words.
    private func options(_ file: String, _ words: [String] = []) throws -> ScanCommand.Options {
        var configuration = SexConfiguration()
        let text = "PARAMETERS_NAME \(scene.path("a.param"))\n" + file
        configuration.read(text, name: "a.sex", environment: ["FILTERS": "x"])
        let arguments = try SexArguments(["a.fits"] + words)
        for (key, value) in arguments.settings {
            configuration.set(key, value, origin: "-\(key)", [:])
        }
        return try SexOptions(configuration, arguments, Arguments()).options
    }

    @Test("built-in values are SExtractor's, the file wins over them, and the command line over the file")
    func layers() throws {
        let plain = try options("")
        #expect(plain.detection.parameters == ScanParameters() && plain.columns?.request.apertures == [5])
        #expect(plain.columns?.settings.saturation == 50_000 && plain.columns?.format == .asciiHead)
        #expect(plain.outputs == ["test.cat"] && plain.overwrite)
        let file = "DETECT_THRESH  3.0 # sigmas\nPHOT_APERTURES 4, 8,16\nBACK_SIZE 32,128\nCLEAN N\nMASK_TYPE none\n"
        let read = try options(file, ["-DETECT_THRESH", "5", "-catalog_type", "FITS_LDAC", "--local-slots=2"])
        #expect(read.detection.parameters.threshold == 5 && read.columns?.request.apertures == [4, 8, 16])
        #expect(read.detection.parameters.meshWidth == 32 && read.detection.parameters.meshHeight == 128)
        #expect(
            read.detection.parameters.clean == nil && read.columns?.request.masking == MeasurementRequest.Masking.none)
        #expect(read.columns?.format == .ldac && read.cluster.localSlots == 2)
        #expect(read.columns?.request.analysisThreshold == 1.5)
    }

    @Test("GAIN and SATUR_LEVEL yield to the header's keywords; a gain of 0 is none")
    func keywords() throws {
        let options = try options("GAIN 2.5\nSATUR_LEVEL 1000\n")
        let header = FITSHeader(cards: ["GAIN    =                  4.0", "SATURATE=              65000.0"])
        let gain = options.detection.gain
        #expect(try gain.found(in: ImageCards(header: header), of: "a.fits").value == 4)
        #expect(try gain.found(in: ImageCards(header: FITSHeader(cards: [])), of: "a.fits").value == 2.5)
        #expect(options.columns?.settings.saturation(of: ImageCards(header: header)) == 65_000)
        #expect(options.columns?.settings.saturation(of: ImageCards(header: FITSHeader(cards: []))) == 1000)
        #expect(
            try self.options("").detection.gain.found(in: ImageCards(header: FITSHeader(cards: [])), of: "a.fits").value
                == 0)
    }

    @Test("the first of two weight maps is that of the detection, the second that of the measurement")
    func weights() throws {
        func dual(_ file: String) throws -> ScanCommand.Options {
            var configuration = SexConfiguration()
            configuration.read(
                "PARAMETERS_NAME \(scene.path("a.param"))\n" + file, name: "a.sex", environment: [:])
            return try SexOptions(configuration, try SexArguments(["a.fits,b.fits"]), Arguments()).options
        }
        let two = try dual("WEIGHT_TYPE MAP_RMS,MAP_WEIGHT\nWEIGHT_IMAGE d.fits,m.fits\nRESCALE_WEIGHTS N\n")
        #expect(two.detectionMap?.weight == "d.fits" && two.detectionMap?.weightMap == .rms)
        #expect(two.detection.weight == "m.fits" && two.detection.parameters.weightMap == .weight)
        #expect(two.detection.parameters.noise == .weights && !two.detection.parameters.rescalesWeights)
        #expect(two.columns?.request.scalesGain == true)
        let one = try dual("WEIGHT_TYPE MAP_VAR\nWEIGHT_IMAGE m.fits\nWEIGHT_GAIN N\n")
        #expect(one.detectionMap?.weight == "m.fits" && one.detection.weight == "m.fits")
        #expect(one.columns?.request.scalesGain == false)
        let mixed = try dual("WEIGHT_TYPE BACKGROUND,NONE\n")
        #expect(mixed.detectionMap?.noise == .map && mixed.detection.parameters.noise == .global)
        #expect(mixed.columns?.request.scalesGain == false && mixed.detectionMap?.weight == nil)
        #expect(throws: UsageError.self) { try dual("WEIGHT_TYPE NONE,NONE,NONE\n") }
        #expect(throws: UsageError.self) { try options("WEIGHT_TYPE MAP_RMS\nWEIGHT_IMAGE a.fits,b.fits\n") }
    }

    @Test("keys that change nothing are accepted with any value, unknown ones with a warning")
    func harmless() throws {
        let text = "MEMORY_BUFSIZE 2048\nNTHREADS 8\nASSOC_NAME list\nMAG_GAMMA 3\nBACKPHOTO_TYPE global\n"
        _ = try options(text)
        var configuration = SexConfiguration()
        configuration.read("\nFOO 3\n", name: "a.sex", environment: [:])
        #expect(configuration.warnings == ["a.sex:2: FOO: no such key; ignored"])
    }

    static let wrong = [
        "DETECT_THRESH abc", "DETECT_THRESH", "DETECT_THRESH 0", "DETECT_THRESH -1.5", "DETECT_THRESH 1.5,24.0",
        "ANALYSIS_THRESH x", "ANALYSIS_THRESH 2,24", "DETECT_MINAREA 0", "DETECT_MINAREA five",
        "DETECT_MAXAREA 100", "DETECT_TYPE PHOTO", "THRESH_TYPE ABSOLUTE", "FILTER maybe", "FILTER_NAME none.conv",
        "DEBLEND_NTHRESH 0", "DEBLEND_NTHRESH 1000", "DEBLEND_MINCONT 2", "CLEAN perhaps", "CLEAN_PARAM 0",
        "MASK_TYPE FOO", "WEIGHT_TYPE MAP", "WEIGHT_TYPE MAP_WEIGHT,NONE",
        "WEIGHT_TYPE HEAVY", "FLAG_TYPE MOST", "DGEO_TYPE PIXEL", "PHOT_APERTURES 5,-1", "PHOT_APERTURES",
        "PHOT_APERTURES 5 x", "PHOT_AUTOPARAMS 2.5", "PHOT_AUTOPARAMS 0,3.5", "PHOT_AUTOAPERS 20,20",
        "PHOT_FLUXFRAC 1.5", "SATUR_LEVEL high", "MAG_ZEROPOINT 25.0.1", "GAIN -1", "PIXEL_SCALE -0.2",
        "SEEING_FWHM -1",
        "BACK_TYPE FIXED", "BACK_VALUE x", "BACK_SIZE 0", "BACK_FILTERSIZE 99", "BACKPHOTO_TYPE NEAR",
        "BACKPHOTO_THICK 0", "BACK_FILTTHRESH 5", "CHECKIMAGE_TYPE APERTURES,FILTERED",
        "CHECKIMAGE_TYPE SYMPROFILES", "WRITE_XML Y", "FITS_UNSIGNED Y", "CATALOG_TYPE SKYCAT",
        "CATALOG_TYPE FITS", "VERBOSE_TYPE LOUD", "PARAMETERS_NAME none.param", "PHOT_PETROPARAMS 2",
        "PHOT_PETROPARAMS 0,3.5", "ASSOC_PARAMS 2", "ASSOC_DATA 0,2", "ASSOC_RADIUS -1", "ASSOC_TYPE CLOSEST",
        "ASSOCSELEC_TYPE MATCHES", "ASSOCCOORD_TYPE SKY",
    ]

    @Test("a value that cannot be used ends with its file, line and key", arguments: wrong)
    func refused(line: String) {
        let error = #expect(throws: UsageError.self) { try options("\n# comment\n\(line)\n") }
        let key = line.prefix { $0 != " " }
        #expect(error?.description.hasPrefix("a.sex:4: \(key): ") == true, "\(error?.description ?? "none")")
        #expect(error?.description.contains("\n") == false)
    }

    // source-extractor 2.25 takes all of these.
    @Test("a refused value may be replaced, of several numbers the first counts, and whole numbers are cut")
    func lenient() throws {
        let file = "WRITE_XML Y\nTHRESH_TYPE ABSOLUTE\nPIXEL_SCALE 0 .466\nDETECT_MINAREA 18.7\nSEEING_FWHM 0\n"
        let read = try options(file, ["-WRITE_XML", "N", "-THRESH_TYPE", "RELATIVE"])
        #expect(read.detection.parameters.minArea == 18 && read.columns?.settings.pixelScale == 0)
        #expect(read.columns?.settings.seeing == 0 && read.columns?.settings.pixelScaleWithoutCoordinates == 3600)
        let error = #expect(throws: UsageError.self) { try options(file, ["-WRITE_XML", "N"]) }
        #expect(error?.description.hasPrefix("a.sex:3: THRESH_TYPE: ABSOLUTE") == true)
        var configuration = SexConfiguration()
        configuration.read("GAIN 2,3\n", name: "a.sex", environment: [:])
        #expect(configuration.warnings == ["a.sex:1: GAIN: has 2 values; only the first is used"])
        // The width of stars is needed for CLASS_STAR alone.
        var columns = try #require(read.columns)
        _ = try columns.load()
        columns.source = "CLASS_STAR"
        #expect(throws: UsageError.self) { try columns.load() }
    }

    @Test("background, weights and formats that are not the default")
    func others() throws {
        let manual = try options("BACK_TYPE MANUAL\nBACK_VALUE -2.5,3\nBACKPHOTO_TYPE local\nBACKPHOTO_THICK 10\n")
        #expect(manual.detection.parameters.backgroundLevel == -2.5 && manual.columns?.request.localThickness == 10)
        let auto = try options("BACK_VALUE 7\nBACKPHOTO_THICK 10\nCATALOG_TYPE ASCII_SKYCAT\nHEADER_SUFFIX .ahead\n")
        #expect(auto.detection.parameters.backgroundLevel == nil && auto.columns?.request.localThickness == nil)
        #expect(auto.columns?.format == .skycat && auto.columns?.headSuffix == ".ahead")
        for (type, map) in [("MAP_WEIGHT", ScanParameters.WeightMap.weight), ("MAP_RMS", .rms), ("MAP_VAR", .variance)]
        {
            let parameters = try options("WEIGHT_TYPE \(type)\nRESCALE_WEIGHTS N\n").detection.parameters
            #expect(parameters.weightMap == map && parameters.noise == .weights && !parameters.rescalesWeights)
        }
    }

    @Test("the command line: keys need values, and negative numbers are values")
    func words() throws {
        let arguments = try SexArguments(["a.fits", "-c", "b.sex", "-MAG_ZEROPOINT", "-2.5", "-dd"])
        #expect(arguments.configuration == "b.sex" && arguments.listing == .configuration(isComplete: true))
        #expect(arguments.settings.map(\.value) == ["-2.5"])
        let selection = try SexArguments(["a.fits", "-ASSOCSELEC_TYPE", "-MATCHED", "-FILTER", "N"])
        #expect(selection.settings.map(\.value) == ["-MATCHED", "N"])
        #expect(throws: UsageError.self) { try SexArguments(["a.fits", "-DETECT_THRESH"]) }
        #expect(throws: UsageError.self) { try SexArguments(["a.fits", "-DETECT_THRESH", "-FILTER", "N"]) }
        #expect(throws: UsageError.self) { try SexArguments(["-c"]) }
        for images in [[], ["a.fits", "b.fits"], ["a.fits,b.fits"]] {
            #expect(throws: UsageError.self) {
                try SexOptions(SexConfiguration(), SexArguments(images), Arguments())
            }
        }
    }

    @Test("-dd prints a configuration that reads as the built-in values")
    func printed() throws {
        var configuration = SexConfiguration()
        configuration.read(SexKey.file(all: true), name: "printed", environment: [:])
        #expect(configuration.warnings.isEmpty)
        for key in SexKey.all { #expect(configuration[key.name].words == SexConfiguration()[key.name].words) }
    }
}
