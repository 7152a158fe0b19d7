import CalibrationFlags
import CommandLineKit
import Console
import ScanBasics
import SkyCalibration
import SkyFITS
import SkyScan
import TaskJournal

extension ScanCommand.Options {
    /// How raw frames are calibrated while they are read.
    package struct Calibration: Equatable, Sendable {
        private var recipe: CalibrationRecipe
        /// The masters, once they are found.
        private(set) var frames: FrameCalibration?

        /// Nil if no step of a calibration is asked for.
        /// - Throws: `UsageError`.
        init?(_ arguments: Arguments) throws(UsageError) {
            recipe = try CalibrationFlags.recipe(arguments)
            recipe.gain = try arguments[Self.gain]
            recipe.saturation = try arguments[Self.saturation]
            recipe.program = Software.name
            if !recipe.hasSteps {
                let given = Self.section.options.first { arguments.flags[$0.name] != nil }
                guard let given else { return nil }
                throw UsageError(
                    "--\(given.name) belongs to the calibration of raw frames: add --bias, --flat or another step")
            }
        }

        package static func == (first: Calibration, second: Calibration) -> Bool { first.recipe == second.recipe }

        /// Finds the masters.
        /// - Throws: ``CommandError``.
        mutating func load() throws(CommandError) {
            do throws(ImageError) {
                frames = try FrameCalibration(recipe)
            } catch {
                throw CommandError(.input, "\(error)")
            }
        }

        /// The masters and steps on which catalogues depend, by descriptive names, for the identity of a job.
        /// - Throws: ``ImageError`` if a master cannot be read.
        func settings() throws -> [String: String] {
            var named = recipe
            for path in [\CalibrationRecipe.bias, \.dark, \.flat, \.badPixels] {
                guard var location = named[keyPath: path] else { continue }
                location.path = AbsolutePath.of(location.path)
                named[keyPath: path] = location
            }
            var settings = ["calibration": String(reflecting: named)]
            for (role, sums) in try frames?.masters.checksums() ?? [:] {
                settings["content of the \(role)"] = try Checksum.of(sums).hexadecimal
            }
            return settings
        }

        private static let gain = CalibrationFlags.gain("raw-gain")
        private static let saturation = CalibrationFlags.saturation("raw-saturation")

        static let section = OptionSection(
            title: "Raw frames",
            options: [
                CalibrationFlags.overscan.spec, CalibrationFlags.overscanMethod.spec, CalibrationFlags.trim.spec,
                CalibrationFlags.bias.spec, CalibrationFlags.dark.spec, CalibrationFlags.darkScale.spec,
                CalibrationFlags.flat.spec, CalibrationFlags.badPixels.spec, saturation.spec, gain.spec,
            ] + CalibrationFlags.raySpecs)
    }
}

extension ScanCommand {
    /// Makes the calibration of an image of a file; nil if images are scanned as they are. `isSelected`: the name of the
    /// file selects the image.
    func calibration(
        of image: ImageExtension?, in survey: FITSSurvey, isSelected: Bool
    ) -> ((FITSImage) throws -> CalibratedImage)? {
        guard let frames = options.calibration?.frames else { return nil }
        let number = image.flatMap { image in survey.images.firstIndex(of: image) } ?? 0
        return { opened in
            try FrameType.requireSky(opened)
            var inFile = number
            if let plane = opened.plane {
                // The survey may have one plane alone, and masters have all of a colour image.
                let all = (try? FITSSurvey(of: opened.location.path))?.images ?? []
                inFile = all.firstIndex { $0.number == opened.hduNumber && $0.plane == plane } ?? number
            }
            let place = ImagePlace(index: isSelected ? 0 : number, inFile: inFile)
            return try CalibratedImage(opened, frames, at: place)
        }
    }

    /// Refuses what a scan of raw frames cannot do.
    /// - Throws: `UsageError`.
    func validateCalibration(_ files: [InputList.File]) throws(UsageError) {
        guard options.calibration != nil else { return }
        if options.detectionImage != nil {
            throw UsageError("--detect does not take raw frames: calibrate them first, by skyfarm calibrate")
        }
        if let file = files.first(where: { $0.node != nil }) {
            let name = file.node ?? ""
            throw UsageError(
                "\(file.name): raw frames that lie on a node are not calibrated as they are scanned; on \(name) run skyfarm "
                    + "calibrate \(file.path) -o FOLDER/ with these masters, then scan \(name):/FOLDER/*, or copy them to "
                    + "this machine")
        }
    }
}
