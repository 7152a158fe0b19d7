import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyCalibration
import SkyFITS

/// Makes the masters of a night, or keeps those of an earlier run whose frames are the same.
struct MasterMaker {
    let plan: NightPlan
    /// With a slash at the end.
    let folder: String
    let recipe: CalibrationRecipe
    let sections: NightSections
    let slots: Slots
    let interrupts: Interrupts?
    /// The masters of the plan that were handled.
    private(set) var masters: [Made] = []
    /// Frames that could not be read, which masters do without.
    private(set) var failures: [NightPlan.Failure] = []

    /// A master that was made, kept, or would be made.
    struct Made {
        enum State: String, Encodable { case made, kept, planned, failed }

        var location: ImageLocation
        var key: MasterKey
        var state: State
        /// The frames of which it is made.
        var frames: [NightFrame]
        /// The reason for which it was not made.
        var reason: String?
    }

    init(_ plan: NightPlan, folder: String, _ options: CalibrateCommand.Options, _ interrupts: Interrupts?) {
        (self.plan, self.folder, self.interrupts) = (plan, folder, interrupts)
        (recipe, sections, slots) = (options.recipe, options.night.sections, options.slots)
    }

    /// Handles all masters of the plan in their order; with `isDryRun`, none is made.
    /// - Throws: errors that concern all masters: ``OutputError``, `CancellationError`.
    mutating func run(isDryRun: Bool) throws {
        if !plan.masters.isEmpty, !isDryRun { try OutputTemplate.makeFolder(of: folder + "master.fits") }
        for index in plan.masters.indices {
            try interrupts?.check()
            let master = plan.masters[index]
            do {
                masters.append(try handle(master, isDryRun: isDryRun))
            } catch let error where error is OutputError || error is CancellationError {
                throw error
            } catch {
                masters.append(
                    Made(
                        location: location(master), key: MasterKey(master.group.kind, steps: [], frames: []),
                        state: .failed, frames: master.group.frames, reason: "\(error)"))
            }
        }
    }

    private func location(_ master: NightPlan.Master) -> ImageLocation {
        ImageLocation(path: folder + master.group.name, selector: .firstImage)
    }

    /// The file of a master that a frame uses.
    /// - Throws: ``ScanSetupError`` if it was not made.
    func location(of source: NightPlan.Source?) throws -> ImageLocation? {
        switch source {
        case nil: return nil
        case .file(let location): return location
        case .made(let index):
            let master = masters[index]
            guard let reason = master.reason else { return master.location }
            throw ScanSetupError("its \(plan.masters[index].group.kind.rawValue) was not made: \(reason)")
        }
    }

    private func words(of source: NightPlan.Source?) throws -> String {
        guard let location = try location(of: source) else { return "none" }
        if case .made(let index) = source { return masters[index].key.text }
        return try MasterKey.content(of: location)
    }

    private mutating func handle(_ master: NightPlan.Master, isDryRun: Bool) throws -> Made {
        var steps = steps(of: master.group.frames[0]).words
        steps += ["bias \(try words(of: master.bias))", "dark \(try words(of: master.dark))", "median"]
        var frames = master.group.frames
        let contents = slots.map(frames.indices) { try MasterKey.content(of: frames[$0].location) }
        var sums: [String] = []
        for (index, content) in contents.enumerated() {
            do {
                sums.append(try content.get())
            } catch {
                drop(frames[index], error)
            }
        }
        frames.removeAll { frame in failures.contains { $0.location == frame.location } }
        guard !frames.isEmpty else { throw ScanSetupError("none of its frames can be read") }
        var made = Made(
            location: location(master), key: MasterKey(master.group.kind, steps: steps, frames: sums), state: .planned,
            frames: frames)
        if let known = MasterContent(at: made.location.path) {
            if known.key == made.key.text, try isCurrent(known, &made) {
                made.state = .kept
                return made
            }
        } else if ReadableFiles.current.exists(made.location.path) {
            throw OutputError(
                .exists, "\(made.location.path): was not made by calibrate; name another folder with --masters")
        }
        if isDryRun { return made }
        try make(master, &made)
        return made
    }

    /// Whether a master whose key is that of the frames lacks only those that still cannot be used. They are left out.
    private mutating func isCurrent(_ known: MasterContent, _ made: inout Made) throws -> Bool {
        var used: [String: Int] = [:]
        for name in known.frames { used[InputList.stem(of: name), default: 0] += 1 }
        let all = Dictionary(grouping: made.frames) { InputList.stem(of: $0.name) }
        let doubtful = made.frames.filter { frame in
            let stem = InputList.stem(of: frame.name)
            return used[stem] != all[stem]?.count
        }
        let lacking = made.frames.count - known.frames.count
        if doubtful.isEmpty, lacking == 0 { return true }
        let temporary = TemporaryFolder(named: "skyfarm-masters")
        defer { temporary.remove() }
        let failed = zip(doubtful, try usable(doubtful, in: try temporary.make())).compactMap { frame, result in
            if case .failure(let error) = result { (frame, error) } else { nil }
        }
        guard failed.count == lacking else { return false }
        for (frame, error) in failed { drop(frame, error) }
        made.frames.removeAll { frame in failed.contains { $0.0.location == frame.location } }
        return true
    }

    private mutating func drop(_ frame: NightFrame, _ error: any Error) {
        failures.append(NightPlan.Failure(location: frame.location, reason: "\(error)"))
    }

    // MARK: - Frames

    /// Overscan and trim of a frame.
    private func steps(of frame: NightFrame) -> CalibrationRecipe {
        var steps = CalibrationRecipe()
        steps.useSections(of: frame, sections)
        (steps.overscanMethod, steps.program) = (recipe.overscanMethod, recipe.program)
        return steps
    }

    private mutating func make(_ master: NightPlan.Master, _ made: inout Made) throws {
        let temporary = TemporaryFolder(named: "skyfarm-masters")
        defer { temporary.remove() }
        var inputs = made.frames.map(\.location)
        if steps(of: made.frames[0]).hasSteps { inputs = try reduced(&made, in: try temporary.make()) }
        do {
            try combine(master, made, inputs)
        } catch let failures as FrameFailures {
            // A frame may be damaged where only its samples tell it.
            let before = made.frames
            let results = slots.map(inputs.indices) { try FrameImages.requireReadable(inputs[$0]) }
            for (index, result) in results.enumerated() {
                if case .failure(let error) = result { drop(before[index], error) }
            }
            let kept = before.indices.filter { if case .success = results[$0] { true } else { false } }
            guard kept.count < before.count, !kept.isEmpty else { throw failures }
            made.frames = kept.map { before[$0] }
            try combine(master, made, kept.map { inputs[$0] })
        }
        made.state = .made
    }

    /// Subtracts the overscan of frames and cuts it off. Frames for which that fails are left out.
    private mutating func reduced(_ made: inout Made, in folder: String) throws -> [ImageLocation] {
        let frames = made.frames
        var kept: [(frame: NightFrame, input: ImageLocation)] = []
        for (frame, result) in zip(frames, try usable(frames, in: folder)) {
            switch result {
            case .success(let input): kept.append((frame, input))
            case .failure(let error): drop(frame, error)
            }
        }
        guard !kept.isEmpty else { throw ScanSetupError("none of its frames can be used") }
        made.frames = kept.map(\.frame)
        return kept.map(\.input)
    }

    /// Reads frames without their overscan, which is written to files, if there is one.
    /// - Returns: of each frame the file, or the reason for which it cannot be used.
    /// - Throws: errors that concern all frames.
    private func usable(_ frames: [NightFrame], in folder: String) throws -> [Result<ImageLocation, any Error>] {
        let recipe = steps(of: frames[0])
        let calibration = CalibratedFile(recipe, try MasterImages(recipe))
        let outputs = frames.indices.map { index in
            "\(folder)/\(index)/" + InputList.stem(of: frames[index].name) + ".fits"
        }
        for output in outputs { try OutputTemplate.makeFolder(of: output) }
        let (slots, interrupts) = (slots, interrupts)
        let results = slots.map(frames.indices) { index in
            guard recipe.hasSteps else {
                try FrameImages.requireReadable(frames[index].location)
                return frames[index].location
            }
            _ = try calibration.write(
                frames[index].location, to: outputs[index], overwrite: false, isCompressed: false
            ) {
                try interrupts?.check()
            }
            return ImageLocation(path: outputs[index], selector: .firstImage)
        }
        for case .failure(let error) in results where error is OutputError || error is CancellationError { throw error }
        return results
    }

    private func combine(_ master: NightPlan.Master, _ made: Made, _ inputs: [ImageLocation]) throws {
        var request = StackRequest(frames: inputs, method: .median)
        request.scale = master.group.kind == .flat ? .median : .none
        request.bias = try location(of: master.bias)
        request.dark = try location(of: master.dark)
        request.program = recipe.program
        request.slots = slots
        request.cards = master.group.cards(made.key)
        let interrupts = interrupts
        try MasterStack(request).write(to: made.location.path, overwrite: true) { _ in try interrupts?.check() }
    }
}

extension CalibrationRecipe {
    /// The sections that the user chose, or else those that the header of a frame tells.
    mutating func useSections(of frame: NightFrame, _ sections: NightSections) {
        overscan = sections.overscan ?? (frame.hasOverscan ? .automatic : .none)
        trim = sections.trim ?? (frame.isTrimmed ? .automatic : .none)
    }

    /// The steps that a frame goes through before it is combined.
    fileprivate var words: [String] { ["overscan \(overscan) \(overscanMethod)", "trim \(trim)"] }
}
