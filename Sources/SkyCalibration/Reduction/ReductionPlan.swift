internal import SkyFITS

/// How one image of a frame is reduced: what its header, the recipe and the masters tell before samples are read.
package struct ReductionPlan: Sendable {
    let frame: RawFrame
    let recipe: CalibrationRecipe
    /// The pixels that are kept.
    package let trim: PixelSection
    let overscan: PixelSection?
    /// Whether each row has a level of the overscan, and not each column.
    let isOverscanByRow: Bool
    let gain: Double?
    let saturation: Double?
    let readNoise: Double
    private(set) var darkFactor = 1.0
    private(set) var images: [MasterImages.Role: MasterImage] = [:]
    /// Number of the first pixel of the trimmed image in each master.
    private var origins: [MasterImages.Role: Int] = [:]

    /// The plan for the image at `place` of a frame.
    /// - Throws: ``ScanSetupError`` if the frame lacks a card or has another size than a master; ``ImageError``.
    init(_ frame: RawFrame, _ recipe: CalibrationRecipe, _ masters: MasterImages, at place: ImagePlace) throws {
        (self.frame, self.recipe) = (frame, recipe)
        let sections = FrameSections(frame.cards, width: frame.width, height: frame.height)
        let trim = try Self.section(
            recipe.trim, sections.trim, sections.unreadable(["TRIMSEC", "DATASEC"]), frame, "--trim")
        let overscan = try Self.section(
            recipe.overscan, sections.overscan, sections.unreadable(["BIASSEC"]), frame, "--overscan")
        let done = DoneSteps(frame.cards)
        if overscan != nil { try LevelCheck.refuse(.overscan, done, of: frame.location) }
        self.trim = trim ?? PixelSection(width: frame.width, height: frame.height)
        self.overscan = overscan
        isOverscanByRow = overscan?.isBesideRows(of: self.trim) ?? true
        gain = try recipe.gain.number(frame.cards, of: frame.location, flag: "--gain")
        saturation = try recipe.saturation.number(frame.cards, of: frame.location, flag: "--saturation")
        readNoise = try recipe.readNoise.number(frame.cards, of: frame.location, flag: "--read-noise") ?? 0
        try checkOverscan()
        for role in MasterImages.Role.allCases {
            guard let image = try masters.image(role, at: place) else { continue }
            images[role] = image
            origins[role] = try image.origin(of: self.trim, raw: frame.geometry, role: role)
        }
        try checkLevels(done, masters)
    }

    /// Checks that nothing is subtracted twice or half, and finds by what the dark is multiplied.
    private mutating func checkLevels(_ done: DoneSteps, _ masters: MasterImages) throws {
        let check = LevelCheck(
            frame: frame.location, done: done, subtractsOverscan: overscan != nil, bias: images[.bias]?.levels,
            dark: images[.dark]?.levels)
        let lacksLevel = try check.check()
        if let flat = images[.flat] {
            try LevelCheck.refuse(.flat, done, of: frame.location)
            if let note = check.note(on: flat.levels) { masters.note(note) }
        }
        guard let dark = images[.dark]?.frame else { return }
        darkFactor = try ExposureTime.factor(
            of: dark, lacksLevel: lacksLevel, for: (frame.location, frame.exposure), recipe.darkScale)
        if lacksLevel == nil, check.keepsLevel, darkFactor != 1 {
            masters.note(
                "\(dark.location): is scaled to other exposures, and no card tells that its bias is subtracted; add --bias, "
                    + "or --dark-scale none if the dark has its bias")
        }
    }

    private static func section(
        _ choice: SectionChoice, _ automatic: PixelSection?, _ problem: FrameSections.Problem, _ frame: RawFrame,
        _ flag: String
    ) throws(ScanSetupError) -> PixelSection? {
        let section: PixelSection?
        switch choice {
        case .none: return nil
        case .automatic:
            if let words = problem.words {
                throw ScanSetupError("\(frame.location): \(words); give \(flag) a section, as in '[1:2048,1:4096]'")
            }
            section = automatic
            if section == nil {
                throw ScanSetupError(
                    "\(frame.location): has no section in the card \(problem.keywords); give \(flag) one, as in "
                        + "'[1:2048,1:4096]'")
            }
        case .section(let text): section = PixelSection(text, width: frame.width, height: frame.height)
        }
        guard let section, section.fits(width: frame.width, height: frame.height) else {
            let words = section.map { "\($0)" } ?? "of \(flag)"
            throw ScanSetupError(
                "\(frame.location): the section \(words) is not within its \(frame.width) x \(frame.height) pixels")
        }
        return section
    }

    /// Checks that the overscan reaches along all rows, or columns, that are kept.
    private func checkOverscan() throws(ScanSetupError) {
        guard let overscan else { return }
        let (needed, given) = isOverscanByRow ? (trim.y, overscan.y) : (trim.x, overscan.x)
        if needed.lowerBound < given.lowerBound { throw missingLevel(needed.lowerBound) }
        if needed.upperBound > given.upperBound { throw missingLevel(max(needed.lowerBound, given.upperBound)) }
    }

    /// The error of a row, or column, without a level of the overscan.
    func missingLevel(_ line: Int) -> ScanSetupError {
        ScanSetupError(
            "\(frame.location): the overscan \(overscan.map { "\($0)" } ?? "") has no value for "
                + "\(isOverscanByRow ? "row" : "column") \(line + 1) of the image \(trim); correct --overscan or --trim"
        )
    }

    /// The parameters of the search for cosmic rays in this image; nil if they are not searched.
    var rayParameters: CosmicRayParameters? {
        guard var parameters = recipe.cosmicRays else { return nil }
        let gain = gain ?? 1
        // Electrons have the gain already.
        parameters.gain = recipe.givesElectrons ? 1 : gain
        parameters.readnoise = readNoise
        if let saturation { parameters.satlevel = saturation * gain }
        return parameters
    }

    /// The plan in numbers, but for the levels of columns.
    var steps: ReductionSteps {
        var steps = ReductionSteps(kept: PixelRect(x: trim.x, y: trim.y))
        steps.overscan = overscan.map {
            .init(
                section: PixelRect(x: $0.x, y: $0.y), isByRow: isOverscanByRow, method: recipe.overscanMethod)
        }
        steps.darkFactor = darkFactor
        steps.gain = recipe.givesElectrons ? gain ?? 1 : 1
        (steps.saturation, steps.rays, steps.masksRays) = (saturation, rayParameters, recipe.masksCosmicRays)
        return steps
    }

    /// The pixels of the masters.
    var masters: [MasterImages.Role: MasterPixels] {
        var pixels: [MasterImages.Role: MasterPixels] = [:]
        for (role, image) in images {
            pixels[role] = MasterPixels(
                image.pixels, of: image, rowLength: image.geometry.width, origin: origins[role] ?? 0,
                covering: steps.whole)
        }
        return pixels
    }
}
