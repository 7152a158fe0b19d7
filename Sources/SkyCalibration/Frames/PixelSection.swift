internal import Foundation
package import SkyFITS

/// A section of an image, `[x1:x2,y1:y2]` as in headers: pixels from 1, both ends included.
package struct PixelSection: Hashable, Sendable, CustomStringConvertible {
    /// Columns and rows from 0.
    package var x: Range<Int>
    package var y: Range<Int>

    package init(x: Range<Int>, y: Range<Int>) { (self.x, self.y) = (x, y) }

    /// The whole of an image.
    package init(width: Int, height: Int) { (x, y) = (0..<width, 0..<height) }

    /// Parses a section, with or without brackets. An axis may be `*`, all of the image, if its size is given. Nil if it
    /// is none, or runs backwards.
    package init?(_ text: String, width: Int? = nil, height: Int? = nil) {
        let inside = text.trimmingCharacters(in: CharacterSet(charactersIn: " []"))
        let axes = inside.split(separator: ",", omittingEmptySubsequences: false)
        guard axes.count == 2, let x = Self.range(axes[0], width), let y = Self.range(axes[1], height) else {
            return nil
        }
        (self.x, self.y) = (x, y)
    }

    private static func range(_ text: Substring, _ length: Int?) -> Range<Int>? {
        let word = text.filter { $0 != " " }
        if word == "*" || word == ":" { return length.map { 0..<$0 } }
        let ends = word.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 1, last >= first,
            last <= FITSImage.maximumPixelCount
        else { return nil }
        return first - 1..<last
    }

    package var width: Int { x.count }
    package var height: Int { y.count }

    /// Whether it lies in an image of this size.
    package func fits(width: Int, height: Int) -> Bool { x.upperBound <= width && y.upperBound <= height }

    package var description: String { "[\(x.lowerBound + 1):\(x.upperBound),\(y.lowerBound + 1):\(y.upperBound)]" }
}

/// Where a section comes from.
package enum SectionChoice: Hashable, Sendable {
    case none
    /// The header tells it.
    case automatic
    case section(String)
}

/// The sections of an image that its header tells.
package struct FrameSections: Equatable, Sendable {
    package var overscan: PixelSection?
    package var trim: PixelSection?
    /// The cards that hold something else than a section, with their values.
    private var unreadable: [String: String] = [:]

    /// The reason for which a card holds no section.
    struct Problem {
        /// The keywords of the cards that would tell it.
        var keywords: String
        /// The fault of such a card; nil if there is none.
        var words: String?
    }

    /// The sections of an image: `BIASSEC`, and `TRIMSEC` or else `DATASEC`; or ESO's numbers of pixels of the only
    /// output.
    package init(_ cards: ImageCards, width: Int, height: Int) {
        for keyword in ["BIASSEC", "TRIMSEC", "DATASEC"] {
            guard let text = cards.header.text(keyword)?.trimmingCharacters(in: .whitespaces), !text.isEmpty else {
                continue
            }
            guard let section = PixelSection(text, width: width, height: height) else {
                unreadable[keyword] = text
                continue
            }
            if keyword == "BIASSEC" { overscan = section } else if trim == nil { trim = section }
        }
        // A trimmed image keeps the cards of its output, which tell of the raw image.
        if overscan == nil, trim == nil, unreadable.isEmpty, cards.value("CALTRIM") == nil {
            useOutput(of: cards, width: width, height: height)
        }
    }

    /// The fault of the first of these cards that an image has. A card after one that holds a section is not used.
    func unreadable(_ keywords: [String]) -> Problem {
        var problem = Problem(keywords: keywords.joined(separator: " or "))
        if let first = keywords.first, let text = unreadable[first] {
            problem.words = "the card \(first) holds no section, but '\(text)'"
        } else if let last = keywords.last, trim == nil, let text = unreadable[last] {
            problem.words = "the card \(last) holds no section, but '\(text)'"
        }
        return problem
    }

    private mutating func useOutput(of cards: ImageCards, width: Int, height: Int) {
        let names = ["PRSCX", "OVSCX", "PRSCY", "OVSCY"].map { "ESO DET OUT1 \($0)" }
        let all =
            cards.primary.hierarchical(names + ["ESO DET OUTPUTS"])
            + cards.header.hierarchical(names + ["ESO DET OUTPUTS"])
        let values = Dictionary(all.map { ($0, Int($1) ?? 0) }, uniquingKeysWith: { $1 })
        guard values["ESO DET OUTPUTS"] ?? 1 == 1, names.contains(where: { values[$0] != nil }) else { return }
        let counts = names.map { min(max(0, values[$0] ?? 0), max(width, height)) }
        guard counts[0] + counts[1] < width, counts[2] + counts[3] < height else { return }
        let rows = counts[2]..<height - counts[3]
        trim = PixelSection(x: counts[0]..<width - counts[1], y: rows)
        if counts[1] > 0 {
            overscan = PixelSection(x: width - counts[1]..<width, y: rows)
        } else if counts[0] > 0 {
            overscan = PixelSection(x: 0..<counts[0], y: rows)
        }
    }
}
