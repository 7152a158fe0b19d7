package import CommandLineKit
package import Console
package import ScanBasics
import ScanCluster
import SkyCatalogue
import SkyExtraction
import SkyFITS

extension ScanCommand {
    package struct Options: Equatable, Sendable {
        /// Files, folders, patterns and lists; files with an HDU in brackets.
        package var inputs: [String]
        /// The only image, with its HDU in brackets, of a scan of one.
        package var image: String { inputs[0] }
        package var images: Images
        /// Catalogue files; `-` is standard output, as CSV.
        package var outputs: [String]
        package var overwrite: Bool
        package var dryRun: Bool
        package var cluster: ClusterOptions
        /// Nil: chosen for the image and the slots at hand.
        package var bandRows: Int?
        /// Nil: adaptive.
        package var timeoutSeconds: Double?
        package var maxAttempts: Int
        /// Nil: no journal.
        package var journal: Journal?
        package var page: Page
        /// Address of the live page; nil: none.
        package var dashboard: SocketAddress?
        /// The file of the SAMP hub that gets the catalogue; nil: none.
        var sampHub: String?
        package var detection: Detection
        /// Nil: images are scanned as they are.
        package var calibration: Calibration?
        /// Nil: SEP's columns.
        package var columns: Columns?
        package var checkImages: [CheckImageOutput]
        /// Nil: no trails are looked for.
        package var trails: Trails?
        /// Nil: sources are searched for.
        package var forced: Forced?
        /// What a row of a catalogue is.
        var rowName: String { forced == nil ? "source" : "position" }
        /// The image in which sources are detected, with its HDU in brackets; nil: that in which they are measured.
        package var detectionImage: String?
        /// The noise of that image, if it is not that of the measured ones.
        package var detectionMap: DetectionMap?
        package var log: Log
        package var common: CommonOptions

        package init(_ arguments: Arguments) throws(UsageError) {
            inputs = arguments.positionals
            images = try Images(arguments)
            let outputs = try arguments[ScanCommand.output]
            self.outputs = outputs.isEmpty ? ["-"] : outputs
            overwrite = try arguments[ScanCommand.overwrite]
            dryRun = try arguments[ScanCommand.dryRun]
            cluster = try ClusterOptions(arguments)
            bandRows = try arguments[ScanCommand.band]
            timeoutSeconds = try arguments[ScanCommand.timeout]
            maxAttempts = try arguments[ScanCommand.maxAttempts]
            journal = try arguments[ScanCommand.noJournal] ? nil : Journal(arguments)
            page = try Page(arguments)
            dashboard = try arguments[DashboardOption.option]
            sampHub = try arguments[ScanCommand.samp] ? Self.sampHub(arguments.environment) : nil
            detection = try Detection(arguments)
            calibration = try Calibration(arguments)
            columns = try Columns(arguments)
            forced = try Forced(arguments)
            if columns != nil, images.skipsExisting {
                throw UsageError("--skip-existing cannot tell which --columns a catalogue has; leave one of them out")
            }
            detectionImage = try arguments[Self.detect]
            detectionMap = try DetectionMap(arguments, detection)
            checkImages = try CheckImageOutput.all(arguments)
            if !checkImages.isEmpty, images.skipsExisting {
                throw UsageError("--skip-existing cannot tell whether check images are current; leave one of them out")
            }
            trails = try Trails(arguments)
            common = try CommonOptions(arguments)
            log = try Log(arguments)
            for name in self.outputs { try Self.checkFormat(of: name) }
            if common.json, !dryRun, self.outputs.contains("-") {
                throw UsageError("--json writes to standard output: name a file for the catalogue with -o FILE")
            }
        }

        private static func checkFormat(of name: String) throws(UsageError) {
            let path = name == "-" ? name : try OutputTemplate(name).name(file: "image.fits")
            do throws(OutputError) {
                _ = try CatalogueOutput(path: path)
            } catch {
                throw UsageError("--output: \(error)")
            }
        }
    }

    private static let output = Option.list(
        "output", short: "o", .file(.writes), fallback: "-",
        help:
            "Write the catalogue to FILE, in the format of its ending: .fits, .fit, .csv or .ecsv, also with .gz, .reg,"
            + " .ldac, .cat or .vot; - writes CSV to standard output"
    )
    private static let overwrite = Option.toggle("overwrite", help: "Replace output files that exist")
    private static let dryRun = Option.toggle("dry-run", help: "Print what would be done, and exit")
    private static let band = Option.optional(
        "band", .integer("ROWS", 1...1_048_576), fallback: "chosen for the image and the slots", layers: .all,
        help: "Rows of a band, the unit of work")
    private static let timeout = Option.optional(
        "timeout", .number("SECONDS", 0.001...86_400), fallback: "100 times the usual time, at least 60", layers: .all,
        help: "Time limit of an attempt at a task; the task is then retried elsewhere")
    private static let maxAttempts = Option.value(
        "max-attempts", .integer("N", 1...100), default: 3, layers: .all, help: "Maximum number of attempts at a task")

    package static let fresh = Option.toggle(
        "fresh", help: "Discard the results of an earlier run of the same command")
    private static let noJournal = Option.toggle(
        "no-journal", help: "Keep no journal; a scan that is stopped cannot be resumed")

    package static let spec = CommandSpec(
        name: "scan",
        summary: "Find the sources of an image and write their catalogue",
        examples: [
            .init(
                line: "skyfarm scan night/*.fits.fz -o catalogues/",
                explanation: "Scan every image of the files with all nodes on the network; one catalogue per file."),
            .init(
                line: "skyfarm scan --watch incoming/ -o catalogues/",
                explanation: "Scan the files of a folder, and those that arrive there, until Ctrl-C."),
            .init(
                line: "skyfarm scan --recursive nights/ --where \"FILTER in ('g','r')\" -o 'cats/{dir}/{stem}.fits'",
                explanation: "Scan the images in two filters of a folder and of those below it."),
            .init(
                line: "skyfarm scan image.fits -o sources.fits -o sources.reg",
                explanation:
                    "Scan an image with all nodes on the network; write a FITS table and"
                    + " DS9 regions."),
            .init(
                line: "skyfarm scan night/*.fits --at stars.csv --apertures 4,8 -o fluxes/",
                explanation: "Measure the fluxes at the positions of stars.csv in every image."),
            .init(
                line: "skyfarm scan 'image.fits[SCI]' --node 192.168.1.7:4870 --threshold 3 -o -",
                explanation: "Scan the extension SCI on one node and this machine; print CSV."),
        ],
        description: [
            "The image is cut into bands of rows, which are scanned by this machine and every node that can be reached."
                + " The catalogue has no seams: its sources are those of one SEP run over the whole image, and the file"
                + " is the same whichever nodes take part or fail. Detection has the parameters and defaults of"
                + " SExtractor.",
            "Columns have the names of SEP: x and y are pixels from 0, x_image and y_image from 1 as in FITS, ra and"
                + " dec degrees where the header has a celestial coordinate system. theta is the angle of the major"
                + " axis from x towards y, in radians.",
            "flux_auto is the flux in the ellipse of --kron-factor Kron radii, at least --kron-minimum times a and b:"
                + " source-extractor's FLUX_AUTO with MASK_TYPE NONE. flux_aper is the flux in a circle with a radius of"
                + " \(plainText(ScanParameters().apertureRadius)) pixels. A flux that cannot be measured is NaN, with 256"
                + " in its flag.",
            "With --columns the catalogue has SExtractor's columns, names, units and conventions: pixels from 1, angles in"
                + " degrees, FLAGS with SExtractor's bits. Files that end in .ldac, .cat and .vot are its FITS_LDAC, ASCII_HEAD"
                + " and ASCII_VOTABLE. skyfarm sex takes SExtractor's own configuration.",
            "With --at the fluxes at given positions are measured instead of a search for sources: a row per position, in the"
                + " order of the list. The columns are ra and dec in degrees, x and y in pixels from 0, or x_image and y_image"
                + " from 1; the first of these that the list has. fluxlimit_aper is an upper limit of the flux of what is not"
                + " seen. A position outside of the image has the flux NaN and 256 in its flag.",
            "Several images are one job: -o FOLDER/ or a name with {dir}, {stem}, {ext} or {extname} gives each file a"
                + " catalogue. Of a file with several images each is scanned, unless an HDU is given. A file that cannot be"
                + " scanned is reported, and the others are scanned; the exit code is then 23, or 5 if all failed."
                + " --report FOLDER/ writes an index of all images and a page for each.",
            "NODE:/PATH names an image that lies on a node, below a folder that its owner allows with skyfarm node --data."
                + " The node reads it; its pixels do not cross the network unless other machines would otherwise idle or"
                + " a page shows the image. A file that is compressed as a whole (.gz) cannot be read that way. NODE may be a"
                + " pattern: *:/PATH names what all nodes have, and a file that several have is scanned once.",
            "With --watch the inputs are folders. A file that arrives is scanned once its writer has closed it or renamed"
                + " it into the folder, or if it has not changed for 2 s, and it is complete. A file that is replaced is"
                + " scanned again. The first signal ends the watch and lets images that are being scanned finish; the same"
                + " command then scans only what is new.",
            "--where selects images by the cards of their headers, and of the primary header: tests of KEYWORD = VALUE, !=, <,"
                + " <=, > or >=, KEYWORD in (VALUE, ...), like 'PATTERN*' and is missing, joined by and, or, not and"
                + " parentheses. A value is a string in quotes, a number, T or F. A file none of whose images meets the condition"
                + " is left out and counted; so is one that lacks a card of a test, and one that holds only tables or spectra."
                + " If nothing is left, the exit code is 5.",
            "The same command resumes a scan that was stopped, from its journal. Of many images it leaves out the files"
                + " that have not changed and whose catalogues are as the job wrote them. If sectors cannot be scanned, the"
                + " catalogue is written without them, they are listed, and the exit code is 23.",
            "An attempt at a task that takes 100 times as long as usual, and at least 60 s, is cancelled; until three tasks"
                + " are done the limit is 300 s, or 25 us per pixel of the task if that is longer. --timeout sets"
                + " another limit. If all slots of a node exceed their time, the step continues without the node; if no"
                + " other system is left, its remaining sectors are given up.",
        ],
        arguments: [
            ArgumentSpec(
                name: "IMAGE",
                help:
                    "FITS file, of which every 2-D image is scanned, or one HDU in brackets; a folder of FITS files; a "
                    + "pattern, in which ** stands for any folders; NODE:/PATH, a file or a pattern on a node; @FILE, a list of names; or -, a list on standard input",
                isFile: true, repeats: true)
        ],
        sections: [
            OptionSection(
                title: "Output",
                options: [
                    output.spec, Options.Images.merged.spec, overwrite.spec, Options.Page.report.spec,
                    Options.Page.preview.spec,
                    DashboardOption.option.spec, samp.spec,
                ] + Options.CheckImageOutput.options + [Options.Trails.option.spec, dryRun.spec]),
            OptionSection(
                title: "Images",
                options: [
                    Options.Images.selection.spec, Options.Images.recursive.spec, Options.Images.strict.spec,
                    Options.detect.spec, Options.detectionWeight.spec, Options.Images.watch.spec,
                    Options.Images.watchLimit.spec, Options.Images.skipHDU.spec, Options.Images.plane.spec,
                    Options.Images.skipExisting.spec, Options.Images.priority.spec,
                    Options.Images.failFast.spec,
                ]),
            OptionSection(
                title: "Work",
                options: ClusterOptions.options + [
                    band.spec, timeout.spec, maxAttempts.spec, fresh.spec, noJournal.spec,
                ]),
            Options.Calibration.section, Options.Detection.section, Options.Columns.section, Options.Forced.section,
            OptionSection(title: "Log", options: [LogOptions.format.spec]),
            CommonOptions.section,
        ],
        exitCodes: Set(ExitCode.all), files: [.key, .journals, .fingerprints])
}
