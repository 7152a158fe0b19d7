internal import CCalibration
internal import SkyFITS

/// Calibrates one image of a frame.
struct ImageCalibration {
    let recipe: CalibrationRecipe
    let masters: MasterImages
    /// The place of the image in its frame.
    let place: ImagePlace

    /// A calibrated image, and what was done to it.
    struct Output {
        var pixels: [Float]
        var mask: [UInt8]
        var section: PixelSection
        var overscan: PixelSection?
        var darkFactor: Double?
        var gain: Double?
        var saturation: Double?
        var rayCount: Int?
        /// The masters that were applied.
        var masters: [MasterImages.Role: MasterSummary] = [:]
    }

    /// What is known of an image before its pixels are read.
    private struct Plan {
        var raw: FrameGeometry
        var trim: PixelSection
        var overscan: PixelSection?
        var gain: Double?
        var saturation: Double?
        var readNoise: Double
        var darkFactor = 1.0
        var images: [MasterImages.Role: MasterImage] = [:]
        /// Number of the first pixel of the trimmed image in each master.
        var origins: [MasterImages.Role: Int] = [:]
    }

    /// Calibrates an image.
    /// - Parameters:
    ///   - frame: the raw image.
    ///   - oldMask: the mask of the raw image, if it has one.
    /// - Returns: the calibrated pixels with their mask.
    /// - Throws: ``ScanSetupError`` if the frame lacks a card or has another size than a master; ``ImageError``.
    func calibrate(_ frame: FramePixels, oldMask: [UInt8]?) throws -> Output {
        let plan = try plan(frame)
        let raw = try frame.readAll()
        let levels = plan.overscan.map {
            OverscanLevels($0, raw, width: frame.width, recipe.overscanMethod)
        }
        try check(levels, plan, frame)
        var output = Output(
            pixels: [Float](repeating: 0, count: plan.trim.width * plan.trim.height),
            mask: [UInt8](repeating: 0, count: plan.trim.width * plan.trim.height), section: plan.trim)
        (output.overscan, output.gain, output.saturation) = (plan.overscan, plan.gain, plan.saturation)
        output.masters = plan.images.mapValues(\.frame)
        if plan.images[.dark] != nil { output.darkFactor = plan.darkFactor }
        if let oldMask { copy(oldMask, width: frame.width, plan.trim, into: &output.mask) }
        reduce(raw, width: frame.width, plan, levels, into: &output)
        try removeRays(plan, from: &output)
        return output
    }

    // MARK: - Plan

    private func plan(_ frame: FramePixels) throws -> Plan {
        let geometry = FrameGeometry(width: frame.width, height: frame.height, cards: frame.cards)
        let sections = FrameSections(frame.cards, width: frame.width, height: frame.height)
        let trim = try section(recipe.trim, sections.trim, frame, "--trim", "TRIMSEC or DATASEC")
        let overscan = try section(recipe.overscan, sections.overscan, frame, "--overscan", "BIASSEC")
        if overscan != nil { try refuse(frame, calibratedBy: "overscan", "CALOVSC") }
        var plan = Plan(
            raw: geometry, trim: trim ?? PixelSection(width: frame.width, height: frame.height), overscan: overscan,
            gain: try recipe.gain.number(frame.cards, of: frame.location, flag: "--gain"),
            saturation: try recipe.saturation.number(frame.cards, of: frame.location, flag: "--saturation"),
            readNoise: try recipe.readNoise.number(frame.cards, of: frame.location, flag: "--read-noise") ?? 0)
        for role in MasterImages.Role.allCases {
            guard let image = try masters.image(role, at: place) else { continue }
            if role != .badPixels { try refuse(frame, calibratedBy: role.rawValue, CalibrationCards.keyword(of: role)) }
            plan.images[role] = image
            plan.origins[role] = try image.origin(of: plan.trim, raw: geometry, role: role)
        }
        if let dark = plan.images[.dark]?.frame {
            plan.darkFactor = try ExposureTime.factor(
                of: dark, for: frame.cards, named: frame.location, recipe.darkScale)
        }
        return plan
    }

    /// A step that was done before would be done twice.
    private func refuse(_ frame: FramePixels, calibratedBy step: String, _ keyword: String) throws(ScanSetupError) {
        guard frame.cards.value(keyword) != nil else { return }
        throw ScanSetupError(
            "\(frame.location): was calibrated by \(step) before, as its card \(keyword) tells; name the raw frame")
    }

    private func section(
        _ choice: SectionChoice, _ automatic: PixelSection?, _ frame: FramePixels, _ flag: String, _ keywords: String
    ) throws(ScanSetupError) -> PixelSection? {
        var section: PixelSection?
        switch choice {
        case .none: return nil
        case .automatic:
            section = automatic
            if section == nil {
                throw ScanSetupError(
                    "\(frame.location): has no section in the card \(keywords); give \(flag) one, as in '[1:2048,1:4096]'"
                )
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

    private func check(_ levels: OverscanLevels?, _ plan: Plan, _ frame: FramePixels) throws(ScanSetupError) {
        guard let levels, let overscan = plan.overscan else { return }
        let lines = levels.isByRow ? plan.trim.y : plan.trim.x
        if let line = lines.first(where: { levels[$0] == nil }) {
            throw ScanSetupError(
                "\(frame.location): the overscan \(overscan) has no value for \(levels.isByRow ? "row" : "column") "
                    + "\(line + 1) of the image \(plan.trim); correct --overscan or --trim")
        }
    }

    private func copy(_ oldMask: [UInt8], width: Int, _ trim: PixelSection, into mask: inout [UInt8]) {
        guard oldMask.count >= width * trim.y.upperBound else { return }
        for row in trim.y {
            let (from, to) = (row * width + trim.x.lowerBound, (row - trim.y.lowerBound) * trim.width)
            for column in 0..<trim.width { mask[to + column] = oldMask[from + column] }
        }
    }

    // MARK: - Pixels

    private func reduce(
        _ raw: [Float], width: Int, _ plan: Plan, _ levels: OverscanLevels?, into output: inout Output
    ) {
        let trim = plan.trim
        let columns = levels.flatMap { levels in levels.isByRow ? nil : trim.x.map { levels[$0] ?? 0 } }
        let gain = recipe.givesElectrons ? plan.gain ?? 1 : 1
        func start(_ role: MasterImages.Role, _ row: Int, _ body: (UnsafePointer<Float>?) -> Void) {
            guard let image = plan.images[role], let origin = plan.origins[role] else { return body(nil) }
            image.pixels.withUnsafeBufferPointer { pixels in
                body(pixels.baseAddress.map { $0 + origin + row * image.geometry.width })
            }
        }
        for row in 0..<trim.height {
            let place = (row + trim.y.lowerBound) * width + trim.x.lowerBound
            start(.bias, row) { bias in
                start(.dark, row) { dark in
                    start(.flat, row) { flat in
                        start(.badPixels, row) { bad in
                            var reduction = skyfarm_reduction()
                            (reduction.bias, reduction.dark, reduction.flat, reduction.bad) = (bias, dark, flat, bad)
                            reduction.dark_factor = plan.darkFactor
                            reduction.saturation = plan.saturation ?? .infinity
                            reduction.gain = gain
                            if let levels, levels.isByRow { reduction.overscan = levels[row + trim.y.lowerBound] ?? 0 }
                            apply(reduction, columns, raw, place, row, &output)
                        }
                    }
                }
            }
        }
    }

    private func apply(
        _ reduction: skyfarm_reduction, _ columns: [Double]?, _ raw: [Float], _ place: Int, _ row: Int,
        _ output: inout Output
    ) {
        var reduction = reduction
        let (width, target) = (output.section.width, row * output.section.width)
        raw.withUnsafeBufferPointer { raw in
            output.pixels.withUnsafeMutableBufferPointer { pixels in
                output.mask.withUnsafeMutableBufferPointer { mask in
                    guard let raw = raw.baseAddress, let pixels = pixels.baseAddress, let mask = mask.baseAddress
                    else { return }
                    guard let columns else {
                        return skyfarm_reduce_row(raw + place, reduction, width, pixels + target, mask + target)
                    }
                    columns.withUnsafeBufferPointer { columns in
                        reduction.column_overscan = columns.baseAddress
                        skyfarm_reduce_row(raw + place, reduction, width, pixels + target, mask + target)
                    }
                }
            }
        }
    }

    private func removeRays(_ plan: Plan, from output: inout Output) throws {
        guard var parameters = recipe.cosmicRays else { return }
        let gain = plan.gain ?? 1
        // Electrons have the gain already.
        parameters.gain = recipe.givesElectrons ? 1 : gain
        parameters.readnoise = plan.readNoise
        if let saturation = plan.saturation { parameters.satlevel = saturation * gain }
        let search = CosmicRaySearch(parameters, width: output.section.width, height: output.section.height)
        // The level of saturation is that of raw samples, to which calibrated pixels do not compare.
        let rays = search.clean(
            &output.pixels, masked: output.mask.map { $0 & MaskBits.badPixel.rawValue },
            saturated: output.mask.map { $0 & MaskBits.saturated.rawValue })
        var count = 0
        for index in rays.indices where rays[index] != 0 {
            output.mask[index] |= MaskBits.cosmicRay.rawValue
            if recipe.masksCosmicRays { output.pixels[index] = .nan }
            count += 1
        }
        output.rayCount = count
    }
}
