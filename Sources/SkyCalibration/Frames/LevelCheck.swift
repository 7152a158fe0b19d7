internal import SkyFITS

/// Checks that the level and the bias of a frame are subtracted once: that the masters have what the frame has when they
/// are applied.
struct LevelCheck {
    /// A master that is subtracted or divides.
    struct Master {
        let name: ImageLocation
        let steps: DoneSteps
        /// The median of its pixels.
        let level: () throws -> Double?
    }

    let frame: ImageLocation
    /// The steps that were done before.
    let done: DoneSteps
    /// Whether the overscan is subtracted now.
    var subtractsOverscan = false
    /// The command that subtracts the overscan of the frame, for the user.
    var overscanRemedy = "add --overscan auto"
    var bias: Master?
    var dark: Master?

    /// Levels below this, in counts, may be equal by chance.
    static let leastLevel = 10.0

    private var hasNoOverscan: Bool { subtractsOverscan || done[.overscan] != nil }
    /// Whether the level that all frames have stays in this one, unless a dark has it.
    var keepsLevel: Bool { !hasNoBias && !hasNoOverscan }

    private var hasNoBias: Bool { bias != nil || done[.bias] != nil }

    /// Checks bias and dark.
    /// - Returns: whether the dark is without the level that all frames have, by its cards or as measured; nil if nothing
    ///   is known.
    /// - Throws: ``ScanSetupError`` if the frame would keep its level, or it would be subtracted twice; errors of
    ///   ``Master/level``.
    func check() throws -> Bool? {
        if bias != nil { try Self.refuse(.bias, done, of: frame) }
        if dark != nil { try Self.refuse(.dark, done, of: frame) }
        try checkBias()
        return try checkDark()
    }

    /// The warning about a flat, for the user; nil if it fits.
    func note(on flat: Master) -> String? {
        let isFrameFree = !keepsLevel || dark != nil || done[.dark] != nil
        let card = flat.steps[.bias] ?? flat.steps[.overscan] ?? flat.steps[.dark]
        if let card, !isFrameFree {
            return "\(flat.name): was made of frames without their bias, as its card \(card) tells, and is applied to "
                + "frames that keep theirs; add --bias, or --overscan auto"
        }
        guard card == nil, flat.steps.isComplete, isFrameFree else { return nil }
        return
            "\(flat.name): was combined of frames with their bias, as no card COMBBIAS tells otherwise, and is applied "
            + "to frames without; combine flats with --bias"
    }

    /// A step that was done before would be done twice.
    static func refuse(_ step: DoneSteps.Step, _ done: DoneSteps, of frame: ImageLocation) throws(ScanSetupError) {
        guard let card = done[step] else { return }
        throw ScanSetupError(
            "\(frame): was calibrated by \(step.rawValue) before, as its card \(card) tells; name the raw frame")
    }

    private func checkBias() throws {
        guard let bias else { return }
        if let card = bias.steps[.overscan] { return try requireOverscan(bias, card) }
        // An overscan that is subtracted now is compared with the bias (OverscanCheck).
        guard let card = done[.overscan], let level = try bias.level(), level.magnitude >= Self.leastLevel else {
            return
        }
        throw ScanSetupError(
            "\(bias.name): still has its level (\(level)), and that of \(frame) is subtracted, as its card \(card) tells; "
                + "calibrate the bias frames with the same --overscan before they are combined")
    }

    private func requireOverscan(_ master: Master, _ card: String) throws(ScanSetupError) {
        if hasNoOverscan { return }
        throw ScanSetupError(
            "\(master.name): its overscan is subtracted, as its card \(card) tells, but not that of \(frame), which would "
                + "keep its level; \(overscanRemedy)")
    }

    private func checkDark() throws -> Bool? {
        guard let dark else { return nil }
        if hasNoBias {
            return dark.steps[.bias] == nil ? try lacksBias(dark) : true
        }
        if let card = dark.steps[.bias] {
            if hasNoOverscan { return true }
            throw ScanSetupError(
                "\(dark.name): its bias is subtracted, as its card \(card) tells, but not that of \(frame), which would "
                    + "keep it; add --bias")
        }
        if let card = dark.steps[.overscan] {
            try requireOverscan(dark, card)
        } else if dark.steps.isComplete, let card = done[.overscan] {
            throw ScanSetupError(
                "\(dark.name): still has its level, and that of \(frame) is subtracted, as its card \(card) tells; "
                    + "calibrate the darks with the same --overscan before they are combined")
        }
        return dark.steps.lacksLevel
    }

    /// Refuses a dark with the bias that is subtracted beside it. What is measured counts more than what no card tells.
    private func lacksBias(_ dark: Master) throws -> Bool? {
        var words = "no card COMBBIAS tells that it is subtracted"
        if let bias, dark.steps[.overscan] == nil, let level = try bias.level(), level.magnitude >= Self.leastLevel,
            let own = try dark.level()
        {
            if own / level <= 0.5 { return true }
            words = "its median is \(own), that of the bias \(level)"
        } else if !dark.steps.isComplete {
            return dark.steps.lacksLevel
        }
        throw ScanSetupError(
            "\(dark.name): still has its bias (\(words)), which would be subtracted from \(frame) twice; combine the darks "
                + "with --bias, or leave out --bias and add --dark-scale none")
    }
}
