import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyCalibration
import SkyFITS

/// Calibrates the frames of a night, sorted by their headers (``NightPlan``): makes the masters, then calibrates the
/// light frames.
struct NightCalibration {
    private let options: CalibrateCommand.Options
    private let files: [InputList.File]
    private let plan: NightPlan
    private let outputs: CalibrationPlan
    /// Frames whose header does not tell what they are.
    private let unreadable: [NightPlan.Failure]
    /// Frames that are neither of the sky nor for its calibration.
    private let others: [String]
    /// Why files in the folder of masters are not used.
    private let warnings: [String]
    private let folder: String

    /// The masters of a light frame, and its sections.
    private struct Recipe: Hashable {
        var bias: NightPlan.Source?
        var dark: NightPlan.Source?
        var flat: NightPlan.Source?
        var hasOverscan: Bool
        var isTrimmed: Bool
    }

    /// Reads the headers of all files.
    /// - Throws: `CommandError` if there is no light frame, `UsageError` for outputs that would replace inputs.
    init(_ options: CalibrateCommand.Options, _ files: [InputList.File]) throws {
        (self.options, self.files) = (options, files)
        try CalibrationOptions.requireLocal(files, by: "calibrate")
        let night = options.night
        let read = Self.read(files.map(\.location), options)
        folder = try Self.folder(files, options)
        let kept = Self.read(Self.masters(in: folder), options)
        plan = NightPlan(read.frames, masters: kept.frames.filter { $0.master != nil }, night.options)
        (unreadable, others) = (read.failures, read.others)
        warnings =
            kept.failures.map(\.reason)
            + kept.frames.filter { $0.master == nil }.map { "\($0.location): is not used, since it is no master" }
        let lights = plan.lights.map {
            InputList.File(path: $0.frame.location.path, selector: $0.frame.location.selectorOrNil)
        }
        try Self.check(plan, read.failures, files, options)
        outputs = try CalibrationPlan(lights, options, others: files.map(\.path) + kept.frames.map(\.location.path))
    }

    /// Checks that there is something to do.
    private static func check(
        _ plan: NightPlan, _ failures: [NightPlan.Failure], _ files: [InputList.File],
        _ options: CalibrateCommand.Options
    ) throws(CommandError) {
        guard plan.lights.isEmpty, failures.isEmpty else { return }
        let name = options.frames[0]
        let remedy =
            "to calibrate frames as they are, name them, as in '\(name.hasSuffix("/") ? name : name + "/")*.fits', "
            + "or their masters by --bias, --dark and --flat"
        if plan.missing.count == 3 {
            throw CommandError(
                .input, "\(name): has no bias, dark or flat frame among \(files.count) files, and no masters; " + remedy
            )
        }
        if plan.failures.isEmpty {
            throw CommandError(.input, "\(name): has no light frame among \(files.count) files; " + remedy)
        }
    }

    private static func read(
        _ locations: [ImageLocation], _ options: CalibrateCommand.Options
    ) -> (frames: [NightFrame], others: [String], failures: [NightPlan.Failure]) {
        let night = options.night
        let results = options.slots.map(locations.indices) {
            try NightFrame.read(locations[$0], keys: night.options.keys, sections: night.sections)
        }
        var (frames, others, failures): ([NightFrame], [String], [NightPlan.Failure]) = ([], [], [])
        for (location, result) in zip(locations, results) {
            switch result {
            case .success(let frame?): frames.append(frame)
            case .success(nil): others.append(location.description)
            case .failure(let error): failures.append(NightPlan.Failure(location: location, reason: "\(error)"))
            }
        }
        return (frames, others, failures)
    }

    /// The folder of the masters, with a slash.
    private static func folder(_ files: [InputList.File], _ options: CalibrateCommand.Options) throws -> String {
        if let named = options.night.masters { return named.hasSuffix("/") ? named : named + "/" }
        let first = try OutputTemplate(options.output).name(file: files[0].path)
        let folder = (first as NSString).deletingLastPathComponent
        return folder.isEmpty ? "masters/" : folder + "/masters/"
    }

    private static func masters(in folder: String) -> [ImageLocation] {
        let names = (try? ReadableFiles.current.names(in: folder)) ?? []
        return names.sorted(by: FolderTree.precedes).filter(InputList.isImageName).map {
            ImageLocation(path: folder + $0, selector: .firstImage)
        }
    }

    // MARK: - Run

    /// Makes the masters and calibrates the light frames.
    /// - Returns: what was done, and the signal that ended it.
    func run() async throws -> (report: CalibrationReport, signal: Interrupts.Signal?) {
        let log = options.log
        try outputs.prepare()
        let display = ProgressDisplay(options.common, log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        display.handle(.stage("masters"))
        var maker = MasterMaker(plan, folder: folder, options, interrupts)
        do {
            try maker.run(isDryRun: false)
        } catch is CancellationError {
            // The signal that ended the command is what to report.
            try? FrameRecord(options.report, frames: 0)?.write(
                options.output, plan.lights.map { .init(name: $0.frame.location.description, failure: "stopped") },
                NightReport(plan, maker, others).shown, notes: warnings)
            throw CommandError(
                interrupts.received?.exitCode ?? .interrupted, "calibrate: stopped; no frame was written")
        }
        let failures = unreadable + plan.failures + maker.failures
        let report = NightReport(plan, maker, others)
        display.handle(.stage("calibrate"))
        let record = FrameRecord(options.report, frames: plan.lights.count)
        let calibrator = try FrameCalibrator(options, display, interrupts, record)
        defer { calibrator.close() }
        let (results, strange) = try await calibrate(maker, calibrator, interrupts)
        display.finish()
        let notes = warnings + report.warnings + strange
        for warning in notes { log.write(.warning, StyledText(warning)) }
        let lights = plan.lights.indices.map { index in
            let location = plan.lights[index].frame.location
            return CalibrationReport.Row(
                name: location.description, path: location.path, output: outputs.outputs[index].path,
                result: results[index])
        }
        let all = CalibrationReport(
            rows: lights + failures.map(Self.row), night: report, systems: calibrator.systems)
        try all.write(options.output, options.common, log)
        let masters = report.shown + options.recipe.shownMasters
        try record?.write(options.output, all.frames, masters, notes: notes)
        return (all, interrupts.received)
    }

    private static func row(_ failure: NightPlan.Failure) -> CalibrationReport.Row {
        CalibrationReport.Row(
            name: failure.location.description, path: failure.location.path, output: nil,
            result: .failure(ScanSetupError(failure.reason)))
    }

    /// Calibrates the light frames, those with the same masters after one another, so that few masters are in memory.
    private func calibrate(
        _ maker: MasterMaker, _ calibrator: FrameCalibrator, _ interrupts: Interrupts
    ) async throws -> (results: FarmedFrames.Outcome, warnings: [String]) {
        let stopped = Result<CalibratedFile.Summary, any Error>.failure(CancellationError())
        var results = [Result<CalibratedFile.Summary, any Error>](repeating: stopped, count: plan.lights.count)
        var warnings: Set<String> = []
        var groups: [(recipe: Recipe, indices: [Int])] = []
        for (index, light) in plan.lights.enumerated() {
            let recipe = Recipe(
                bias: light.bias, dark: light.dark, flat: light.flat, hasOverscan: light.frame.hasOverscan,
                isTrimmed: light.frame.isTrimmed)
            if let place = groups.firstIndex(where: { $0.recipe == recipe }) {
                groups[place].indices.append(index)
            } else {
                groups.append((recipe, [index]))
            }
        }
        for group in groups where interrupts.received == nil {
            let recipe: CalibrationRecipe
            let masters: MasterImages
            do {
                (recipe, masters) = try self.masters(of: group.recipe, maker, of: plan.lights[group.indices[0]].frame)
            } catch {
                for index in group.indices { results[index] = .failure(error) }
                continue
            }
            let own = try await calibrator.calibrate(
                group.indices.map { plan.lights[$0].frame.location }, group.indices.map { outputs.outputs[$0] }, recipe,
                masters)
            for (index, result) in zip(group.indices, own) { results[index] = result }
            warnings.formUnion(masters.warnings())
        }
        return (results, warnings.sorted())
    }

    /// The recipe of light frames, with its masters.
    private func masters(
        of group: Recipe, _ maker: MasterMaker, of frame: NightFrame
    ) throws -> (CalibrationRecipe, MasterImages) {
        var recipe = options.recipe
        recipe.useSections(of: frame, options.night.sections)
        recipe.bias = try maker.location(of: group.bias)
        recipe.dark = try maker.location(of: group.dark)
        recipe.flat = try maker.location(of: group.flat)
        return (recipe, try MasterImages(recipe))
    }

    // MARK: - Dry run

    /// Prints what would be made.
    /// - Returns: the exit code that the run would have.
    func show() throws -> ExitCode {
        var maker = MasterMaker(plan, folder: folder, options, nil)
        try maker.run(isDryRun: true)
        let report = NightReport(plan, maker, others)
        var lights: [NightReport.Light] = []
        var all = unreadable + plan.failures + maker.failures
        for (index, light) in plan.lights.enumerated() {
            do {
                lights.append(
                    NightReport.Light(
                        file: light.frame.location.description, output: outputs.outputs[index].path,
                        bias: try maker.location(of: light.bias)?.description,
                        dark: try maker.location(of: light.dark)?.description,
                        flat: try maker.location(of: light.flat)?.description))
            } catch {
                all.append(NightPlan.Failure(location: light.frame.location, reason: "\(error)"))
            }
        }
        for warning in warnings + report.warnings { options.log.write(.warning, StyledText(warning)) }
        try report.writePlan(lights, all, isJSON: options.common.json)
        if all.isEmpty { return .complete }
        return lights.isEmpty ? .input : .partialCatalogue
    }
}

extension ImageLocation {
    /// The selector; nil for all images of the file.
    fileprivate var selectorOrNil: Selector? { selector == .firstImage ? nil : selector }
}
