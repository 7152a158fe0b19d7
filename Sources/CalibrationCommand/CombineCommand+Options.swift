import CalibrationFlags
package import CommandLineKit
package import Console
import ImageScanning
import SkyCalibration
import SkyFITS

extension CombineCommand {
    package struct Options: Sendable {
        package var frames: [String]
        package var output: String
        package var overwrite: Bool
        package var common: CommonOptions
        package var log: Log
        let report: ReportFile?
        private let method: StackMethod
        private let scale: FrameScale
        private let masters: (bias: String?, dark: String?)
        private let darkScale: DarkScale
        private let masks: [OutputTemplate]
        private let writes: (count: Bool, scatter: Bool)
        private let slots: Slots

        package init(_ arguments: Arguments) throws(UsageError) {
            frames = arguments.positionals
            guard let output = try arguments[CombineCommand.output] else {
                throw UsageError("combine: -o MASTER.fits is missing: name the file of the master")
            }
            self.output = output
            overwrite = try arguments[CalibrationOptions.overwrite]
            report = try ReportFile(arguments, of: CombineCommand.spec, overwrite: overwrite)
            common = try CommonOptions(arguments)
            log = try Log(arguments)
            let (sigma, iterations) = (try arguments[CombineCommand.sigma], try arguments[CombineCommand.iterations])
            switch try arguments[CombineCommand.method] {
            case .median: method = .median
            case .mean: method = .mean
            case .clip: method = .clip(sigma: sigma, iterations: iterations)
            }
            scale = FrameScale(try arguments[CombineCommand.scale])
            masters = (try arguments[CalibrationFlags.bias], try arguments[CalibrationFlags.dark])
            darkScale = try arguments[CalibrationFlags.darkScale]
            var masks: [OutputTemplate] = []
            for name in try arguments[CombineCommand.mask] { masks.append(try OutputTemplate(name, of: "--mask")) }
            self.masks = masks
            writes = (try arguments[CombineCommand.count], try arguments[CombineCommand.scatter])
            slots = Slots(try CalibrationOptions.slots(arguments))
        }

        /// The request for frames in their order.
        /// - Throws: ``ImageError`` for a name with brackets that select no image.
        func request(for files: [InputList.File]) throws(ImageError) -> StackRequest {
            var request = StackRequest(frames: files.map(\.location), method: method)
            request.scale = scale
            request.bias = try CalibrationOptions.location(masters.bias)
            request.dark = try CalibrationOptions.location(masters.dark)
            request.darkScale = darkScale
            if !masks.isEmpty {
                for file in files {
                    var own: [ImageLocation] = []
                    for mask in masks { own.append(try ImageLocation(mask.name(file: file.path))) }
                    request.masks.append(own)
                }
            }
            (request.writesCount, request.writesScatter) = writes
            request.program = Software.name
            request.slots = slots
            return request
        }
    }

    enum Method: String, CaseIterable, Sendable { case median, mean, clip }

    private static let output = Option.optional(
        "output", short: "o", .file(.writes, "MASTER"),
        help: "Write the master to MASTER, in compressed tiles if its name ends in .fz")
    private static let method = Option.value(
        "method", .choice("METHOD"), default: Method.median,
        help: "How the values of a pixel are combined; clip is the mean without outliers")
    private static let sigma = Option.value(
        "sigma", .number("N", 0.1...100), default: 3,
        help: "With clip: reject values that are so many standard deviations from the median")
    private static let iterations = Option.optional(
        "iterations", .integer("N", 1...1000), fallback: "until nothing changes",
        help: "With clip: reject at most so many times")
    private static let scale = Option.value(
        "scale", .word("LEVEL"), default: "none",
        help: "Divide each frame by its own level: its median, its mean, or the value of a KEYWORD of its header")
    private static let mask = Option.list(
        "mask", .file(.reads), help: "Leave out the pixels that are not 0 in this image; {stem} is a frame's name")
    private static let count = Option.toggle(
        "count", help: "Add an extension COUNT: the number of values used for each pixel")
    private static let scatter = Option.toggle(
        "scatter", help: "Add an extension SCATTER: the standard deviation of the values used")

    package static let spec = CommandSpec(
        name: "combine",
        summary: "Combine frames to a master: bias, dark or flat",
        examples: [
            .init(
                line: "skyfarm combine bias/*.fits -o bias.fits --method clip",
                explanation: "Make the master of bias frames: means without outliers."),
            .init(
                line: "skyfarm combine flats/ -o flat.fits --bias bias.fits --scale median",
                explanation: "Make the median of flats, each divided by its own median."),
        ],
        description: [
            "The frames are read band by band, so that memory does not grow with their number. Values are added in the"
                + " order of the frames' names, in double precision, and the master has 32-bit floats: its bytes depend"
                + " on the frames and flags alone. NaN, blank and masked pixels are left out. A file with several images"
                + " gives a master with as many. Docs/Calibration.md has the definition.",
            "If a frame cannot be read, or has another size or binning than the first, it is named, and nothing is"
                + " written.",
        ],
        arguments: [
            ArgumentSpec(
                name: "FRAME", help: "FITS file, folder, pattern, or @FILE with a list of names", isFile: true,
                repeats: true)
        ],
        sections: [
            OptionSection(
                title: "Combination",
                options: [
                    output.spec, CalibrationOptions.overwrite.spec, method.spec, sigma.spec, iterations.spec,
                    scale.spec, mask.spec, count.spec, scatter.spec, ReportFile.option.spec,
                ]),
            OptionSection(
                title: "Masters",
                options: [
                    CalibrationFlags.bias.spec, CalibrationFlags.dark.spec, CalibrationFlags.darkScale.spec,
                ]),
            OptionSection(title: "Work", options: [CalibrationOptions.localSlots.spec]),
            CommonOptions.section,
        ],
        exitCodes: [.input, .interrupted, .terminated])
}
