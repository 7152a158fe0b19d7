internal import Foundation
package import SkyFITS

/// Size, binning and place of an image of a frame, in which frames that are combined agree.
package struct FrameGeometry: Equatable, Sendable {
    package var width: Int
    package var height: Int
    /// The cards that tell the binning, and the first pixel of a window that was read, with their values; empty if there is
    /// none.
    private(set) var readout: [String: String] = [:]
    /// The section of the raw image that a trimmed one is; nil if no card tells it.
    private(set) var section: PixelSection?

    /// The geometry of an image with these cards.
    package init(width: Int, height: Int, cards: ImageCards) {
        (self.width, self.height) = (width, height)
        for keyword in Self.binningKeywords + Self.windowKeywords {
            if let value = cards.value(keyword) { readout[keyword] = Self.numbers(value.words) }
        }
        let long = ["BINX", "BINY", "STRX", "STRY"].map { "ESO DET WIN1 \($0)" }
        for header in [cards.primary, cards.header] {
            for (keyword, words) in header.hierarchical(long) { readout[keyword] = Self.numbers(words) }
        }
        section = Self.section(cards, width, height)
    }

    private static let binningKeywords = ["XBINNING", "YBINNING", "CCDSUM", "CCDXBIN", "CCDYBIN", "BINNING"]
    private static let windowKeywords = ["XORGSUBF", "YORGSUBF"]

    /// The first pixel of a window that was read, in words; nil if no card tells it.
    var window: String? {
        let words = readout.filter { key, _ in Self.windowKeywords.contains(key) || key.contains(" STR") }
        return words.isEmpty
            ? nil : words.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
    }

    /// The section that this program has kept, or IRAF; or that of a card of the raw image, if it has the size of this one
    /// and does not lie in it.
    private static func section(_ cards: ImageCards, _ width: Int, _ height: Int) -> PixelSection? {
        if let own = cards.value("CALTRIM") { return PixelSection(own.words) }
        if let text = cards.value("TRIM")?.words, let start = text.firstIndex(of: "[") {
            return PixelSection(String(text[start...].prefix { $0 != "]" }))
        }
        for keyword in ["TRIMSEC", "DATASEC"] {
            guard let text = cards.header.text(keyword) else { continue }
            guard let section = PixelSection(text), section.width == width, section.height == height else { return nil }
            return section.fits(width: width, height: height) ? nil : section
        }
        return nil
    }

    /// The geometry of a section of the image.
    func trimmed(_ trim: PixelSection) -> FrameGeometry {
        var geometry = self
        (geometry.width, geometry.height) = (trim.width, trim.height)
        guard trim != PixelSection(width: width, height: height) else { return geometry }
        let (x, y) = (section?.x.lowerBound ?? 0, section?.y.lowerBound ?? 0)
        geometry.section = PixelSection(
            x: trim.x.lowerBound + x..<trim.x.upperBound + x, y: trim.y.lowerBound + y..<trim.y.upperBound + y)
        return geometry
    }

    /// "1 1", "1x1" and "1.0 1" are equal.
    private static func numbers(_ words: String) -> String {
        words.split { " x,X".contains($0) }.map { word in Double(word).map { "\($0)" } ?? "\(word)" }
            .joined(separator: " ")
    }

    /// Returns how another image differs, in words about it, or nil if both can be combined. A binning or a place that only
    /// one of them tells is no difference.
    package func difference(of other: FrameGeometry) -> String? {
        if (width, height) != (other.width, other.height) {
            return "has \(other.width) x \(other.height) pixels, not \(width) x \(height)"
        }
        for (keyword, value) in readout.sorted(by: { $0.key < $1.key }) {
            if let theirs = other.readout[keyword], theirs != value {
                let what = keyword.contains("BIN") || keyword == "CCDSUM" ? "binning" : "window"
                return "has the \(what) \(keyword) = \(theirs), not \(value)"
            }
        }
        if let section, let theirs = other.section, theirs != section {
            return "is the section \(theirs) of the raw image, not \(section)"
        }
        return nil
    }
}

extension FITSHeader {
    /// Returns the values of the HIERARCH cards with these names, as text.
    func hierarchical(_ names: [String]) -> [(String, String)] {
        (0..<count).compactMap { index in
            let card = self[index]
            guard card.hasPrefix("HIERARCH ") else { return nil }
            let parts = card.dropFirst(9).split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let name = parts[0].split(separator: " ").joined(separator: " ")
            guard names.contains(name) else { return nil }
            let value = parts[1].prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces)
            return (name, value.trimmingCharacters(in: CharacterSet(charactersIn: "' ")))
        }
    }
}
