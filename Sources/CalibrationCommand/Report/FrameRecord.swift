import Console
import ScanBasics
import SkyCalibration
import SkyFITS
import SkyReport

/// What the page of `--report` shows of calibrated frames: each is read again as soon as it is written.
final class FrameRecord: Sendable {
    private let file: ReportFile
    private let frames: Int
    private let state = Locked(State())

    private struct State {
        /// The images of each frame, by the path of its file.
        var images: [String: [Row]] = [:]
        /// Why a frame that was written cannot be shown.
        var failures: [String: String] = [:]
        /// Bytes of the pictures, as text.
        var size = 0
    }

    /// An image of a calibrated frame.
    private struct Row {
        var name: String?
        /// Its steps, with their masters.
        var steps: String
        var size: Int
        /// Numbers of pixels: bad, saturated, cosmic ray, without a value.
        var counts: [Int]
        var hasRays: Bool
        var levels: (raw: Double?, own: Double?)
        var picture: CalibrationPage.Picture?
    }

    /// A frame and its file, or the reason why there is none.
    struct Frame {
        var name: String
        var output: String?
        var failure: String?
    }

    /// The record of so many frames; nil without a page.
    init?(_ file: ReportFile?, frames: Int) {
        guard let file else { return nil }
        (self.file, self.frames) = (file, max(1, frames))
    }

    /// Reads a frame that was written. If it cannot be read, the page says so.
    func add(_ path: String, _ summary: CalibratedFile.Summary) {
        do {
            let images = try FITSSurvey(of: path).images
            for (index, image) in images.enumerated() {
                let side = ShownImage.side(files: frames, images: images.count, within: 128...480)
                var row = try Self.row(ImageLocation(path: path, selector: image.selector), side: side)
                if images.count > 1 { row.name = image.name ?? image.words }
                if summary.rawLevels.indices.contains(index) { row.levels.raw = summary.rawLevels[index] }
                state.withLock { state in
                    let size = (row.picture?.png.count ?? 0) * 4 / 3
                    if state.size + size > ShownImage.pageShare { row.picture = nil } else { state.size += size }
                    state.images[path, default: []].append(row)
                }
            }
        } catch {
            state.withLock { $0.failures[path] = "\(error)" }
        }
    }

    private static func row(_ location: ImageLocation, side: Int) throws -> Row {
        var shown = try ShownImage(location, side: side, values: 1 << 16)
        try shown.readMask()
        let header = shown.image.header
        let names: [(card: String, step: String)] = [
            ("CALOVSC", "overscan"), ("CALTRIM", "trim"), ("CALBIAS", "bias"), ("CALDARK", "dark"), ("CALFLAT", "flat"),
            ("CALBPM", "bad pixels"), ("CALSAT", "saturation"), ("CALGAIN", "gain"), ("CALCRAY", "cosmic rays"),
        ]
        let steps = names.compactMap { card, step -> String? in
            guard header.words(card) != nil else { return nil }
            let isMaster = ["CALBIAS", "CALDARK", "CALFLAT", "CALBPM"].contains(card)
            let factor = card == "CALDARK" ? header.number("CALDFAC") ?? 1 : 1
            return step + (factor == 1 ? "" : " × \(ShownImage.words(factor))")
                + (isMaster ? " (\(header.text(card) ?? "–"))" : "")
        }
        let marks = shown.marks
        let png = marks.map { shown.preview.png($0.marks) } ?? shown.preview.png()
        return Row(
            steps: steps.isEmpty ? "no steps" : steps.joined(separator: ", "), size: shown.size,
            counts: marks?.counts ?? [0, 0, 0, shown.sample.missing], hasRays: header.text("CALCRAY") != nil,
            levels: (nil, shown.median), picture: .init("", of: shown.preview, png: png))
    }

    // MARK: - Page

    /// Writes the page.
    /// - Parameters:
    ///   - title: what was asked for.
    ///   - frames: all frames, in the order of the page.
    ///   - masters: the masters that were made or used.
    ///   - notes: lines for the user.
    /// - Throws: ``OutputError``.
    func write(_ title: String, _ frames: [Frame], _ masters: [ShownMaster], notes: [String]) throws {
        let state = state.withLock(\.self)
        let failed = frames.filter { $0.failure != nil }
        let rays = state.images.values.joined().filter(\.hasRays)
        var figures: [CalibrationPage.Figure] = [
            .init("Frames", "\(frames.count)"), .init("Calibrated", "\(frames.count - failed.count)"),
        ]
        if !failed.isEmpty { figures.append(.init("Failed", "\(failed.count)", isStrange: true)) }
        if !masters.isEmpty { figures.append(.init("Masters", "\(masters.count)")) }
        if !rays.isEmpty {
            let count = rays.reduce(0) { $0 + $1.counts[2] }
            figures.append(
                .init("Pixels of cosmic rays", ShownImage.words(count, of: rays.reduce(0) { $0 + $1.size })))
        }
        var sections: [CalibrationPage.Section] = []
        if !notes.isEmpty {
            var section = CalibrationPage.Section("Notes")
            section.warnings = notes
            sections.append(section)
        }
        if !failed.isEmpty {
            var section = CalibrationPage.Section("Frames that were not calibrated")
            section.table = .init(
                failed.map { [.init("Frame", $0.name), .init("Reason", $0.failure ?? "", isStrange: true)] }, texts: 2)
            sections.append(section)
        }
        sections += ShownMaster.sections(masters)
        sections += Self.sections(frames.filter { $0.failure == nil }, state)
        try file.write(title, figures, sections)
    }

    /// A table of the frames with the same steps and masters for each of these, and the pictures of all.
    private static func sections(_ frames: [Frame], _ state: State) -> [CalibrationPage.Section] {
        var pictures = CalibrationPage.Section("Pictures of the frames")
        pictures.hasMarks = true
        var (tables, unread, count, left): ([CalibrationPage.Section], [String], Int, Int) = ([], [], 0, 0)
        for frame in frames {
            let path = frame.output ?? ""
            if let failure = state.failures[path] { unread.append("\(frame.name): \(failure)") }
            for image in state.images[path] ?? [] {
                let name = image.name.map { "\(frame.name), \($0)" } ?? frame.name
                let place = tables.firstIndex { $0.words == image.steps } ?? tables.count
                if place == tables.count {
                    tables.append(.init("Calibrated frames", image.steps))
                    tables[place].table = .init([])
                }
                tables[place].table?.rows.append(row(image, name))
                count += 1
                guard var picture = image.picture else {
                    left += 1
                    continue
                }
                picture.caption = name + (image.hasRays ? ": \(image.counts[2]) pixels of cosmic rays" : "")
                pictures.pictures.append(picture)
            }
        }
        if left > 0 {
            pictures.words = "\(left) of \(count) images have no picture, which would make the page too large."
        }
        pictures.warnings = unread
        return pictures.pictures.isEmpty && unread.isEmpty ? tables : tables + [pictures]
    }

    private static func row(_ image: Row, _ name: String) -> [CalibrationPage.Figure] {
        func figure(_ title: String, _ bit: Int, limit: Double = 1) -> CalibrationPage.Figure {
            .init(
                title, ShownImage.words(image.counts[bit], of: image.size),
                isStrange: Double(image.counts[bit]) > limit * Double(image.size))
        }
        return [
            .init("Frame", name), figure("Bad", 0, limit: 0.05),
            figure("Saturated", 1), image.hasRays ? figure("Cosmic rays", 2) : .init("Cosmic rays", "–"),
            figure("No value", 3, limit: 0.05), .init("Level before", ShownImage.words(image.levels.raw)),
            .init("Level after", ShownImage.words(image.levels.own)),
        ]
    }
}
