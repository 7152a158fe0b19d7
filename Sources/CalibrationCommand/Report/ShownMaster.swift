import Foundation
import SkyCalibration
import SkyFITS
import SkyReport

/// A master on a page.
struct ShownMaster {
    /// What it is, as `flat`.
    var role: String
    var location: ImageLocation
    /// What became of it.
    var words: String?
    /// Why there is none.
    var failure: String?

    /// The sections of several masters, one for each of their images.
    static func sections(_ masters: [ShownMaster]) -> [CalibrationPage.Section] {
        // An image may have a second picture, of its scatter.
        masters.flatMap { $0.sections(files: 2 * masters.count) }
    }

    private var title: String {
        role.prefix(1).uppercased() + role.dropFirst() + ": "
            + ((location.path.split(separator: "/").last).map(String.init) ?? location.path)
    }

    private func sections(files: Int) -> [CalibrationPage.Section] {
        if let failure { return [fault(title, failure)] }
        let images: [ImageExtension]
        do {
            images = try FrameImages(location).images
        } catch {
            return [fault(title, "\(error)")]
        }
        let side = ShownImage.side(files: files, images: images.count, within: 160...800)
        return images.map { image in
            let name = images.count > 1 ? "\(title), \(image.name ?? image.words)" : title
            do {
                return try section(
                    name, ShownImage(ImageLocation(path: location.path, selector: image.selector), side: side), side)
            } catch {
                return fault(name, "\(error)")
            }
        }
    }

    private func fault(_ title: String, _ reason: String) -> CalibrationPage.Section {
        var section = CalibrationPage.Section(title, words)
        section.warnings = [reason]
        return section
    }

    private func section(_ title: String, _ shown: ShownImage, _ side: Int) throws -> CalibrationPage.Section {
        let (header, sample) = (shown.image.header, shown.sample)
        var section = CalibrationPage.Section(title, words)
        section.figures = [
            .init("Pixels", "\(shown.image.width) × \(shown.image.height)"),
            .init("Median", ShownImage.words(shown.median)),
            .init("1st percentile", ShownImage.words(sample.value(at: 0.01))),
            .init("99th percentile", ShownImage.words(sample.value(at: 0.99))),
            .init("No value", ShownImage.words(sample.missing, of: shown.size)),
        ]
        if isFlat(header), let median = shown.median {
            let (low, high) = (sample.share(below: 0.5 * median), 1 - sample.share(below: (1.5 * median).nextUp))
            section.figures += [
                .init("Below 0.5 of the median", ShownImage.words(share: low), isStrange: low > 0.01),
                .init("Above 1.5 of the median", ShownImage.words(share: high), isStrange: high > 0.01),
            ]
        }
        section.pictures = [.init("Master", of: shown.preview, png: shown.preview.png())]
        let frames = Frames(header)
        if let number = header.number("NCOMBINE") {
            section.figures.insert(.init("Frames", ShownImage.words(number)), at: 0)
            section.figures.append(.init("Method", header.text("COMBMETH") ?? "–"))
            if let count = try shown.shown("COUNT", side: 1)?.sample, number > 0 {
                let used = count.sum / number / Double(max(1, count.count))
                section.figures.append(.init("Values rejected or missing", ShownImage.words(share: max(0, 1 - used))))
            }
        }
        if let scatter = try shown.shown("SCATTER", side: side) {
            section.figures.append(.init("Median scatter", ShownImage.words(scatter.median)))
            section.pictures.append(.init("Scatter", of: scatter.preview, png: scatter.preview.png()))
        }
        section.table = frames.table
        return section
    }

    private func isFlat(_ header: FITSHeader) -> Bool {
        if role == "flat" { return true }
        if let scale = header.text("COMBSCAL"), scale != "none" { return true }
        let types = FrameType.keywords.compactMap { header.text($0).map(FrameType.init(value:)) }
        return types.contains { if case .known(.flat, _) = $0 { true } else { false } }
    }

    /// The frames of a master with their levels, as its cards tell them.
    private struct Frames {
        private var names: [(number: Int, name: String)] = []
        private var levels: [Int: Double] = [:]

        init(_ header: FITSHeader) {
            for card in header.valueCards {
                guard card.keyword.hasPrefix("IMCM") || card.keyword.hasPrefix("IMSC"),
                    let number = Int(card.keyword.drop { !$0.isNumber })
                else { continue }
                switch card.value {
                case .text(let name): names.append((number, name))
                case .number(let level, _): levels[number] = level
                default: break
                }
            }
        }

        var table: CalibrationPage.Table? {
            if names.isEmpty { return nil }
            let sorted = levels.values.sorted()
            let middle = sorted.isEmpty ? nil : sorted[sorted.count / 2]
            let rows = names.map { number, name in
                var row = [CalibrationPage.Figure("Frame", name)]
                guard let middle else { return row }
                let ratio = levels[number].map { $0 / middle }
                row.append(.init("Level", ShownImage.words(levels[number])))
                row.append(
                    .init(
                        "Of their median", ratio.map { String(format: "%.3g", $0) } ?? "–",
                        isStrange: ratio.map { !(0.5...2).contains($0) } ?? false))
                return row
            }
            let count = rows.count == 1 ? "1 frame" : "\(rows.count) frames"
            let strange = rows.count { $0.contains(where: \.isStrange) }
            return CalibrationPage.Table(
                rows,
                summary: strange == 0 ? count : "\(count), \(strange) with a level far from the others")
        }
    }
}
