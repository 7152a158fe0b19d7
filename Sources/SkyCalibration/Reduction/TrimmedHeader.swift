internal import Foundation
internal import SkyFITS

/// The cards of an image of which a section is kept: coordinates and sections refer to the section.
enum TrimmedHeader {
    /// What changes in a header.
    struct Changes: Equatable {
        var entries: [HeaderEntry] = []
        var removed: [String] = []
    }

    /// Returns the changes for an image of which `trim` is kept.
    static func changes(_ header: FITSHeader, trim: PixelSection, width: Int, height: Int) -> Changes {
        var changes = Changes()
        if trim == PixelSection(width: width, height: height) { return changes }
        let shifts = [1: Double(trim.x.lowerBound), 2: Double(trim.y.lowerBound)]
        var known: Set<String> = []
        func add(_ key: String, _ number: Double) {
            if known.insert(key).inserted { changes.entries.append(HeaderEntry(key, .real(number))) }
        }
        for index in 0..<header.count {
            let key = header.keyword(at: index)
            for (root, sign) in [("CRPIX", -1.0), ("LTV", -1), ("CNPIX", 1)] {
                guard let axis = axisNumber(key, root), let shift = shifts[axis], shift != 0 else { continue }
                if let number = header.number(key) { add(key, number + sign * shift) }
            }
            // A reference pixel that no card tells is 0, as is the shift beside a matrix of physical coordinates.
            for (root, implied) in [("CTYPE", "CRPIX"), ("LTM", "LTV")] {
                guard let axis = axisNumber(key, root), let shift = shifts[axis], shift != 0 else { continue }
                let other = implied + (root == "LTM" ? "\(axis)" : String(key.dropFirst(root.count)))
                if header.words(other) == nil { add(other, -shift) }
            }
        }
        moveSections(header, trim, &changes)
        return changes
    }

    /// The axis of a card with this root, as of CRPIX1, of CRPIX1A for another description, and of LTM1_1; nil for other
    /// cards, as CRPIX10.
    private static func axisNumber(_ key: String, _ root: String) -> Int? {
        guard key.hasPrefix(root) else { return nil }
        var rest = key.dropFirst(root.count)
        if root == "LTM" {
            rest = rest.prefix { $0 != "_" }
        } else if root == "CRPIX" || root == "CTYPE", let last = rest.last, last.isASCII, last.isUppercase {
            rest = rest.dropLast()
        }
        return rest == "1" ? 1 : rest == "2" ? 2 : nil
    }

    /// Sections of outputs within the raw image, of which an image may have several.
    private static func isSectionOfOutput(_ key: String) -> Bool {
        for root in ["BIASSEC", "TRIMSEC", "AMPSEC", "OVERSEC"] where key.hasPrefix(root) { return true }
        for root in ["DATASEC", "CCDSEC", "DETSEC"] where key.hasPrefix(root) && key != root { return true }
        // ASEC11 to TSEC22 are those of four amplifiers.
        return key.dropFirst().hasPrefix("SEC") && key.count == 6 && "ABDT".contains(key.prefix(1))
    }

    private static func moveSections(
        _ header: FITSHeader, _ trim: PixelSection, _ changes: inout Changes
    ) {
        func section(_ keyword: String) -> PixelSection? { header.text(keyword).flatMap { PixelSection($0) } }
        let data = section("DATASEC") ?? section("TRIMSEC")
        for keyword in (0..<header.count).map(header.keyword) where isSectionOfOutput(keyword) {
            if !changes.removed.contains(keyword) { changes.removed.append(keyword) }
        }
        if header.words("DATASEC") != nil {
            changes.entries.append(
                HeaderEntry("DATASEC", .text("\(PixelSection(width: trim.width, height: trim.height))")))
        }
        // Where the data are on the detector is the same if all of them are kept, and else known without binning.
        for keyword in ["CCDSEC", "DETSEC"] where header.words(keyword) != nil && data != trim {
            if let data, let old = section(keyword), old.width == data.width, old.height == data.height {
                let (x, y) = (old.x.lowerBound - data.x.lowerBound, old.y.lowerBound - data.y.lowerBound)
                if trim.x.lowerBound + x >= 0, trim.y.lowerBound + y >= 0 {
                    let moved = PixelSection(
                        x: trim.x.lowerBound + x..<trim.x.upperBound + x,
                        y: trim.y.lowerBound + y..<trim.y.upperBound + y)
                    changes.entries.append(HeaderEntry(keyword, .text("\(moved)")))
                    continue
                }
            }
            changes.removed.append(keyword)
        }
    }
}
