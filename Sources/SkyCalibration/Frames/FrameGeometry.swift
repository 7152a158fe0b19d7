internal import Foundation
package import SkyFITS

/// Size and binning of an image of a frame, in which frames that are combined agree.
package struct FrameGeometry: Equatable, Sendable {
    package var width: Int
    package var height: Int
    /// The cards that tell the binning, with their values, as they are in the header; empty if there is none.
    package var binning: [String: String] = [:]

    package init(width: Int, height: Int, binning: [String: String] = [:]) {
        (self.width, self.height, self.binning) = (width, height, binning)
    }

    /// The geometry of an image with these cards.
    package init(width: Int, height: Int, cards: ImageCards) {
        (self.width, self.height) = (width, height)
        for keyword in Self.binningKeywords {
            if let value = cards.value(keyword) { binning[keyword] = Self.numbers(value.words) }
        }
        for header in [cards.primary, cards.header] {
            for (keyword, words) in header.hierarchical(["ESO DET WIN1 BINX", "ESO DET WIN1 BINY"]) {
                binning[keyword] = Self.numbers(words)
            }
        }
    }

    private static let binningKeywords = ["XBINNING", "YBINNING", "CCDSUM", "CCDXBIN", "CCDYBIN", "BINNING"]

    /// "1 1", "1x1" and "1.0 1" are equal.
    private static func numbers(_ words: String) -> String {
        words.split { " x,X".contains($0) }.map { word in Double(word).map { "\($0)" } ?? "\(word)" }
            .joined(separator: " ")
    }

    /// Returns how another image differs, in words about it, or nil if both can be combined. A binning that only one of
    /// them tells is no difference.
    package func difference(of other: FrameGeometry) -> String? {
        if (width, height) != (other.width, other.height) {
            return "has \(other.width) x \(other.height) pixels, not \(width) x \(height)"
        }
        for (keyword, value) in binning.sorted(by: { $0.key < $1.key }) {
            if let theirs = other.binning[keyword], theirs != value {
                return "has the binning \(keyword) = \(theirs), not \(value)"
            }
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
