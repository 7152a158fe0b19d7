package import SkyFITS

/// A frame of a night as its header describes it.
package struct NightFrame: Equatable, Sendable {
    package var location: ImageLocation
    package var kind: FrameKind
    /// The facts of a master, such as whether its bias was subtracted; nil for a raw frame.
    package var master: Master?
    /// Values of the properties, without exposure and temperature; a property that no card tells is missing.
    package var values: [GroupKey: String] = [:]
    /// Seconds.
    package var exposure: Double?
    /// Degrees, in the unit of the card.
    package var temperature: Double?
    /// Middle of the exposure as a modified Julian date in days.
    package var time: Double?
    package var size: Size
    /// Whether an overscan is subtracted from it.
    package var hasOverscan = false
    /// Whether its header tells which section is kept.
    package var isTrimmed = false
    /// The sections of its header that are used, as in the header.
    package var sections = ""
    /// The section of the raw image that is kept, or was kept of a master; nil if it is not known.
    package var kept: PixelSection?
    /// The first pixel of a window that was read, in words; nil if no card tells it.
    package var window: String?

    /// The sizes of the first image, and the number of images.
    package struct Size: Hashable, Sendable {
        /// Width and height of what is kept.
        package var width: Int
        package var height: Int
        package var images = 1

        package init(width: Int, height: Int, images: Int = 1) {
            (self.width, self.height, self.images) = (width, height, images)
        }

        var words: String { "\(width) x \(height) pixels" + (images == 1 ? "" : " in \(images) images") }
    }

    package struct Master: Hashable, Sendable {
        package var lacksBias: Bool

        package init(lacksBias: Bool) { self.lacksBias = lacksBias }
    }

    package init(_ location: ImageLocation, kind: FrameKind, size: Size) {
        (self.location, self.kind, self.size) = (location, kind, size)
    }

    /// The last name of its path.
    package var name: String { location.path.split(separator: "/").last.map(String.init) ?? location.path }
}

/// Sections of frames that are calibrated by their headers; nil for those that the header of a frame tells, if it does.
package struct NightSections: Sendable {
    package var overscan: SectionChoice?
    package var trim: SectionChoice?

    package init(overscan: SectionChoice? = nil, trim: SectionChoice? = nil) {
        (self.overscan, self.trim) = (overscan, trim)
    }
}

extension NightFrame {
    /// Reads the header of a frame.
    /// - Throws: ``ScanSetupError`` if it does not tell what the frame is; ``ImageError``.
    package static func read(
        _ location: ImageLocation, keys: [GroupKey], sections: NightSections
    ) throws -> NightFrame? {
        let images = try FrameImages(location)
        let image = try FITSImage(images.location(of: 0))
        let own = ImageCards(header: image.header, primary: image.primary)
        let cards = NightCards(image.header, primary: image.primary)
        guard let (kind, isMaster) = try kind(of: cards, location) else { return nil }
        let raw = FrameSections(own, width: image.width, height: image.height)
        var frame = NightFrame(
            location, kind: kind, size: Size(width: image.width, height: image.height, images: images.images.count))
        // Frames of one night would be treated differently without a word.
        for (choice, keywords, flag) in [
            (sections.overscan, ["BIASSEC"], "--overscan"), (sections.trim, ["TRIMSEC", "DATASEC"], "--trim"),
        ] where choice == nil {
            guard let words = raw.unreadable(keywords).words else { continue }
            throw ScanSetupError("\(location): \(words); add \(flag) none, or give \(flag) a section")
        }
        frame.useSections(raw, sections)
        let geometry = FrameGeometry(width: image.width, height: image.height, cards: own)
        frame.window = geometry.window
        if isMaster || cards.words("COMBMETH") != nil {
            let done = DoneSteps(own)
            frame.master = Master(lacksBias: done[.bias] != nil)
            (frame.hasOverscan, frame.kept) = (done[.overscan] != nil, geometry.section)
        }
        for key in keys { frame.values[key] = key.value(cards) }
        frame.exposure = ExposureTime.of(own, primary: image.primary)
        frame.temperature = cards.number(GroupKey.temperatureKeywords)
        let begin =
            Observation(own).modifiedJulianDate ?? Observation(ImageCards(header: image.primary)).modifiedJulianDate
        let time = cards.number(["MJD-AVG"]) ?? begin.map { $0 + (frame.exposure ?? 0) / 2 / 86_400 }
        // A date of another millennium is none of a camera, and may be none of a calendar.
        frame.time = time.flatMap { (0...1_000_000).contains($0) ? $0 : nil }
        return frame
    }

    /// The kind of a frame; nil for one that is not calibrated.
    private static func kind(
        of cards: NightCards, _ location: ImageLocation
    ) throws(ScanSetupError) -> (FrameKind, Bool)? {
        switch FrameType(cards) {
        case .known(let kind, let isMaster): return (kind, isMaster)
        case .other: return nil
        case .unknown(let card):
            throw ScanSetupError(
                "\(location): its card \(card) names no kind of frame that is known; correct it, or calibrate the "
                    + "frame by its name")
        case .missing:
            throw ScanSetupError(
                "\(location): no card tells what the frame is, as IMAGETYP, OBSTYPE or FRAME do; calibrate it by its "
                    + "name")
        }
    }

    private mutating func useSections(_ raw: FrameSections, _ choice: NightSections) {
        var used: [String] = []
        switch choice.overscan {
        case nil, .automatic:
            hasOverscan = raw.overscan != nil
            used.append(raw.overscan.map { "\($0)" } ?? "")
        case .section(let text)?: (hasOverscan, used) = (true, [text])
        case .some(.none): break
        }
        var trim: PixelSection?
        switch choice.trim {
        case nil, .automatic: trim = raw.trim
        case .section(let text)?: trim = PixelSection(text, width: size.width, height: size.height)
        case .some(.none): break
        }
        if let trim {
            (isTrimmed, kept) = (true, trim)
            used.append("\(trim) of \(size.width) x \(size.height)")
            (size.width, size.height) = (trim.width, trim.height)
        }
        sections = used.joined(separator: " ")
    }
}
