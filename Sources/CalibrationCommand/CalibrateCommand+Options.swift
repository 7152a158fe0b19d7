import CalibrationFlags
package import CommandLineKit
package import Console
import ImageScanning
import SkyCalibration
import SkyFITS

extension CalibrateCommand {
    package struct Options: Sendable {
        package var frames: [String]
        package var output: String
        package var overwrite: Bool
        package var compresses: Bool
        package var common: CommonOptions
        package var log: Log
        let report: ReportFile?
        let recipe: CalibrationRecipe
        let slots: Slots
        /// The systems that search cosmic rays.
        let cluster: ClusterOptions
        /// Rows of the bands in which they are searched; nil to choose them.
        let bandRows: Int?
        let night: NightChoices
        let next: NextScan?

        package init(_ arguments: Arguments) throws(UsageError) {
            frames = arguments.positionals
            next = try NextScan(arguments)
            if next != nil, let separator = arguments.separator { frames = Array(frames[..<separator]) }
            guard let output = try arguments[CalibrateCommand.output] else {
                throw UsageError("calibrate: -o FOLDER/ is missing: name the folder of the calibrated frames")
            }
            self.output = output
            overwrite = try arguments[CalibrationOptions.overwrite]
            compresses = try arguments[CalibrateCommand.compress]
            report = try ReportFile(arguments, of: CalibrateCommand.spec, overwrite: overwrite)
            common = try CommonOptions(arguments)
            log = try Log(arguments)
            slots = Slots(try CalibrationOptions.slots(arguments))
            var cluster = try ClusterOptions(arguments)
            // No card could tell that a node computes differently.
            cluster.allowsDifferent = false
            self.cluster = cluster
            bandRows = try arguments[CalibrateCommand.band]
            night = try NightChoices(arguments)
            recipe = try CalibrateCommand.recipe(arguments)
            try night.check(recipe)
            if night.isDryRun, report != nil {
                throw UsageError("--report: --dry-run calibrates nothing that it could show; leave one of them out")
            }
        }
    }

    private static func recipe(_ arguments: Arguments) throws(UsageError) -> CalibrationRecipe {
        var recipe = try CalibrationFlags.recipe(arguments)
        recipe.saturation = try arguments[saturation]
        recipe.gain = try arguments[gain]
        recipe.givesElectrons = try arguments[electrons]
        if recipe.givesElectrons, recipe.gain == .none {
            throw UsageError("--electrons needs --gain: a number, a keyword or auto")
        }
        recipe.program = Software.name
        return recipe
    }

    private static let output = Option.optional(
        "output", short: "o", .file(.writes, "FOLDER/"),
        help: "Write the frames to this folder, or to names made of a template such as red/{stem}.fits")
    private static let compress = Option.toggle(
        "compress", help: "Store images in compressed tiles, without loss; done for frames in .fz files in any case")
    private static let saturation = CalibrationFlags.saturation("saturation")
    private static let gain = CalibrationFlags.gain("gain")
    private static let electrons = Option.toggle("electrons", help: "Multiply the pixels by the gain")

    private static let band = Option.optional(
        "band", .integer("ROWS", 1...1_048_576), fallback: "chosen for the image and the slots", layers: .all,
        help: "Rows of a band in which cosmic rays are searched")

    package static let spec = CommandSpec(
        name: "calibrate",
        summary: "Calibrate raw frames: overscan, bias, dark, flat, bad pixels, cosmic rays",
        examples: [
            .init(
                line: "skyfarm calibrate light/*.fits -o red/ --bias bias.fits --flat flat.fits --cosmic-rays",
                explanation: "Calibrate frames with masters of skyfarm combine."),
            .init(
                line: "skyfarm calibrate light/*.fits -o red/ --cosmic-rays --node big:4870 --local-slots 0",
                explanation: "Let a node search the cosmic rays."),
            .init(
                line: "skyfarm calibrate night/ -o red/ --dry-run",
                explanation: "Show which masters would be made of the frames of a folder, sorted by their headers."),
            .init(
                line: "skyfarm calibrate night/ -o red/ -- -o cats/",
                explanation: "Make masters and calibrated frames of a night, and scan these frames."),
            .init(
                line: "skyfarm calibrate raw/ -o red/ --overscan auto --trim auto --flat flat.fits",
                explanation: "Subtract the overscan and cut it off, as the headers tell."),
        ],
        description: [
            "A calibrated pixel is (raw - overscan - bias - dark * t / t_dark) / flat, in 32-bit floats, where t are the"
                + " exposure times. After each image comes an extension with its mask, whose bits are 1 for a bad pixel,"
                + " 2 for a saturated one, 4 for a cosmic ray and 8 for one without a value; bad pixels, and those"
                + " without a value, are NaN. Coordinates and all other cards are kept, and further extensions are"
                + " copied. Docs/Calibration.md has the definition.",
            "A folder of which no master is named is sorted by the headers of its frames: masters of bias, dark and flat"
                + " frames are made, or kept from an earlier run, and each light frame gets those that match it, the"
                + " nearest in time. Overscan and trim are then those of the headers, if they tell them.",
            "With --cosmic-rays, nodes search them, too, as they do the work of skyfarm scan; all else is done here. The"
                + " bytes that are written do not depend on nodes.",
            "After --, options of skyfarm scan can follow: the calibrated frames are then scanned, on all nodes.",
            "A frame that cannot be calibrated is named with its reason and fails alone: the exit code is then 23.",
        ],
        arguments: [
            ArgumentSpec(
                name: "FRAME", help: "FITS file, folder, pattern, or @FILE with a list of names", isFile: true,
                repeats: true)
        ],
        sections: [
            OptionSection(
                title: "Output",
                options: [output.spec, CalibrationOptions.overwrite.spec, compress.spec, ReportFile.option.spec]),
            OptionSection(
                title: "Calibration",
                options: [
                    CalibrationFlags.overscan.spec, CalibrationFlags.overscanMethod.spec, CalibrationFlags.trim.spec,
                    CalibrationFlags.bias.spec, CalibrationFlags.dark.spec, CalibrationFlags.darkScale.spec,
                    CalibrationFlags.flat.spec, CalibrationFlags.badPixels.spec, saturation.spec, gain.spec,
                    electrons.spec,
                ]),
            OptionSection(title: "Cosmic rays", options: CalibrationFlags.raySpecs),
            NightChoices.section,
            OptionSection(
                title: "Work",
                options: ClusterOptions.options.filter { $0.name != NodeOptions.allowDifferent.spec.name } + [band.spec]
            ),
            CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication, .input, .partialCatalogue, .interrupted, .terminated],
        files: [.key])
}
