/// Finds the masters of frames.
struct NightPlanner {
    private(set) var plan = NightPlan()
    private let options: NightOptions
    private let groups: [FrameGroup]
    private let candidates: [Candidate]
    private let lights: [NightFrame]
    /// The numbers in the plan of groups, and why no master is made of a group.
    private var made: [Int: Result<Int, NoMatch>] = [:]

    /// A master that frames may use.
    private struct Candidate {
        var source: Source
        /// The master as a frame.
        var summary: NightFrame
        var name: String

        enum Source {
            case group(Int)
            case file
        }
    }

    /// The reason for which a frame has no master.
    private struct NoMatch: Error {
        var reason: String
    }

    init(_ frames: [NightFrame], _ masters: [NightFrame], _ options: NightOptions) {
        self.options = options
        let raw = frames.filter { $0.master == nil }
        var failures: [NightPlan.Failure] = []
        for frame in frames where frame.master != nil && frame.kind == .light {
            failures.append(.init(location: frame.location, reason: "is combined of several frames, and not raw"))
        }
        let usable = raw.filter { frame in
            if frame.kind != .dark || frame.exposure ?? 0 > 0 { return true }
            failures.append(.init(location: frame.location, reason: "the dark has no exposure time above 0 in EXPTIME"))
            return false
        }
        let hasBias = (usable + frames + masters).contains { $0.kind == .bias }
        groups = FrameGroup.groups(of: usable, options, hasBias: hasBias)
        var known = Set(groups.map(\.name))
        // A master lies among the frames and in the folder of masters if that is the same.
        let files = (frames.filter { $0.master != nil } + masters).filter { file in
            !known.contains(file.name) && known.insert(file.location.description).inserted
        }
        candidates =
            groups.indices.map { [groups] in
                Candidate(source: .group($0), summary: groups[$0].summary, name: groups[$0].name)
            }
            + files.filter { $0.kind != .light }.sorted { $0.location.path < $1.location.path }.map {
                Candidate(source: .file, summary: $0, name: $0.name)
            }
        lights = usable.filter { $0.kind == .light }.sorted { $0.location.description < $1.location.description }
        plan.failures = failures
        plan.missing = [FrameKind.bias, .dark, .flat].filter { kind in !candidates.contains { $0.summary.kind == kind }
        }
    }

    // MARK: - Light frames

    mutating func planLights() {
        for frame in lights {
            do throws(NoMatch) {
                var light = NightPlan.Light(frame: frame)
                (light.bias, light.dark) = try pedestal(of: frame)
                if !plan.missing.contains(.flat) { light.flat = try master(.flat, for: frame) }
                plan.lights.append(light)
            } catch {
                plan.failures.append(.init(location: frame.location, reason: error.reason))
            }
        }
        for (index, group) in groups.enumerated() {
            switch made[index] {
            case .success: break
            case .failure(let error):
                plan.failures += group.frames.map { .init(location: $0.location, reason: error.reason) }
            case nil: plan.unused += group.frames.map(\.location)
            }
        }
    }

    /// Finds bias and dark of a light frame or of a flat.
    ///
    /// A dark from which no bias is subtracted also has the bias, so that there is no other without overscan.
    private mutating func pedestal(
        of frame: NightFrame
    ) throws(NoMatch) -> (bias: NightPlan.Source?, dark: NightPlan.Source?) {
        let hasBias = !plan.missing.contains(.bias)
        let bias = hasBias ? try master(.bias, for: frame) : nil
        guard !plan.missing.contains(.dark) else {
            if !hasBias && !frame.hasOverscan {
                throw NoMatch(
                    reason:
                        "there is neither a bias frame nor a dark, and the header tells no overscan: its bias cannot be"
                        + " subtracted")
            }
            return (bias, nil)
        }
        return (bias, try master(.dark, for: frame))
    }

    // MARK: - Masters

    /// Finds the master of a kind that is nearest in time, for darks the one of the same exposure if there is one, of
    /// those that can be made.
    private mutating func master(_ kind: FrameKind, for frame: NightFrame) throws(NoMatch) -> NightPlan.Source {
        let own = candidates.indices.filter { candidates[$0].summary.kind == kind }
        var found: [Int] = []
        var nearest: (differences: [String], index: Int)?
        for index in own {
            let differences = differences(of: candidates[index].summary, from: frame)
            if differences.isEmpty {
                found.append(index)
            } else if nearest.map({ differences.count < $0.differences.count }) ?? true {
                nearest = (differences, index)
            }
        }
        found.sort { precedes($0, $1, for: frame) }
        var failure: NoMatch?
        for index in found {
            guard case .group(let group) = candidates[index].source else {
                return .file(candidates[index].summary.location)
            }
            do throws(NoMatch) {
                return .made(try number(of: group))
            } catch {
                if failure == nil { failure = error }
            }
        }
        if let failure { throw failure }
        guard let nearest else { throw NoMatch(reason: "there is no \(kind.rawValue)") }
        throw NoMatch(
            reason: "no \(kind.rawValue) matches: \(candidates[nearest.index].name) "
                + nearest.differences.joined(separator: ", and "))
    }

    /// The number in the plan of the master of a group.
    private mutating func number(of group: Int) throws(NoMatch) -> Int {
        if let known = made[group] { return try known.get() }
        do throws(NoMatch) {
            let master = try plannedMaster(groups[group])
            plan.masters.append(master)
            made[group] = .success(plan.masters.count - 1)
            return plan.masters.count - 1
        } catch {
            made[group] = .failure(error)
            throw error
        }
    }

    private mutating func plannedMaster(_ group: FrameGroup) throws(NoMatch) -> NightPlan.Master {
        var master = NightPlan.Master(group: group)
        let summary = group.summary
        switch group.kind {
        case .bias, .light: break
        case .dark: if !plan.missing.contains(.bias) { master.bias = try reported(group, .bias) }
        case .flat:
            if !plan.missing.contains(.bias) { master.bias = try reported(group, .bias) }
            if plan.missing.contains(.dark) {
                if master.bias == nil, !summary.hasOverscan { _ = try pedestal(of: summary) }
                break
            }
            do throws(NoMatch) {
                master.dark = try self.master(.dark, for: summary)
            } catch {
                // Without a dark, a flat has a dark current of seconds too much, and without bias all of the bias.
                guard master.bias != nil || summary.hasOverscan else {
                    throw NoMatch(reason: "\(group.name): \(error.reason)")
                }
                master.note = "without a dark: \(error.reason)"
            }
        }
        return master
    }

    private mutating func reported(_ group: FrameGroup, _ kind: FrameKind) throws(NoMatch) -> NightPlan.Source {
        do throws(NoMatch) {
            return try master(kind, for: group.summary)
        } catch {
            throw NoMatch(reason: "\(group.name): \(error.reason)")
        }
    }

    // MARK: - Matches

    /// How a master differs from what a frame needs, in words about the master; empty if it can be used.
    private func differences(of master: NightFrame, from frame: NightFrame) -> [String] {
        var words: [String] = []
        if master.size != frame.size { words.append("has \(master.size.words), not \(frame.size.words)") }
        if let theirs = master.kept, let own = frame.kept, theirs != own {
            words.append("is the section \(theirs) of the raw image, not \(own)")
        }
        if let theirs = master.window, let own = frame.window, theirs != own {
            words.append("has the window \(theirs), not \(own)")
        }
        if master.hasOverscan != frame.hasOverscan {
            words.append(master.hasOverscan ? "has its overscan subtracted" : "has its overscan not subtracted")
        }
        for key in options.keys where key.applies(to: master.kind) && key != .temperature && key != .exposure {
            let (theirs, own) = (master.values[key], frame.values[key])
            if theirs == own || key.isOptional && (theirs == nil || own == nil) { continue }
            words.append("has \(key) \(theirs ?? "unknown"), not \(own ?? "unknown")")
        }
        guard master.kind == .dark else { return words }
        if options.keys.contains(.temperature) {
            let isNear =
                if let theirs = master.temperature, let own = frame.temperature {
                    (theirs - own).magnitude <= options.temperatureLimit
                } else {
                    master.temperature == nil && frame.temperature == nil
                }
            if !isNear {
                words.append(
                    "has temperature \(Self.number(master.temperature)), not \(Self.number(frame.temperature))")
            }
        }
        return words + darkDifferences(of: master, from: frame)
    }

    private func darkDifferences(of dark: NightFrame, from frame: NightFrame) -> [String] {
        var words: [String] = []
        let hasBias = !plan.missing.contains(.bias)
        if let master = dark.master, master.lacksBias != hasBias {
            words.append(
                hasBias ? "is not known to be without bias" : "is without bias, and there is no bias frame")
        }
        let canScale =
            options.scalesDarks && !options.keys.contains(.exposure)
            && DarkScale.canScale(lacksBias: dark.master?.lacksBias ?? hasBias, lacksOverscan: dark.hasOverscan)
        let areKnown = frame.exposure != nil && dark.exposure ?? 0 > 0
        if !ExposureTime.isSame(dark.exposure, frame.exposure), !canScale || !areKnown {
            words.append("has \(Self.number(dark.exposure)) s, not \(Self.number(frame.exposure)) s")
        }
        return words
    }

    private static func number(_ value: Double?) -> String {
        value.map { NightCards.normal("\(($0 * 100).rounded() / 100)") } ?? "unknown"
    }

    /// Whether a candidate is a better master than another one.
    private func precedes(_ first: Int, _ second: Int, for frame: NightFrame) -> Bool {
        let ranks = [first, second].map { rank(candidates[$0].summary, for: frame) }
        if ranks[0] != ranks[1] { return ranks[0].lexicographicallyPrecedes(ranks[1]) }
        return first < second
    }

    /// Lower for better masters: the exposure of a dark, then the distance in time.
    private func rank(_ master: NightFrame, for frame: NightFrame) -> [Double] {
        let distance = master.time.flatMap { time in frame.time.map { (time - $0).magnitude } } ?? .infinity
        guard master.kind == .dark, let theirs = master.exposure, let own = frame.exposure else {
            return [0, 0, distance]
        }
        if ExposureTime.isSame(theirs, own) { return [0, 0, distance] }
        // Next best is the shortest of the longer ones, then the longest of the shorter ones.
        return theirs > own ? [1, theirs, distance] : [2, -theirs, distance]
    }
}
