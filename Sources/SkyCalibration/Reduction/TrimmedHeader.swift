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
        let (x, y) = (Double(trim.x.lowerBound), Double(trim.y.lowerBound))
        for index in 0..<header.count {
            let key = header.keyword(at: index)
            guard let number = header.number(key) else { continue }
            // CRPIX1, of other descriptions CRPIX1A to CRPIX1Z; IRAF's physical coordinates.
            let isReference = key.hasPrefix("CRPIX") && key.count <= 7
            if isReference, key.dropFirst(5).first == "1" || key.dropFirst(5).first == "2" {
                let shift = key.dropFirst(5).first == "1" ? x : y
                if shift != 0 { changes.entries.append(HeaderEntry(key, .real(number - shift))) }
            } else if key == "LTV1" || key == "LTV2" {
                changes.entries.append(HeaderEntry(key, .real(number - (key == "LTV1" ? x : y))))
            }
        }
        // A reference pixel that no card tells is 0.
        for (axis, shift) in [("1", x), ("2", y)] where shift != 0 {
            guard header.words("CTYPE" + axis) != nil, header.words("CRPIX" + axis) == nil else { continue }
            changes.entries.append(HeaderEntry("CRPIX" + axis, .real(-shift)))
        }
        moveSections(header, trim, width, height, &changes)
        return changes
    }

    private static func moveSections(
        _ header: FITSHeader, _ trim: PixelSection, _ width: Int, _ height: Int, _ changes: inout Changes
    ) {
        func section(_ keyword: String) -> PixelSection? { header.text(keyword).flatMap { PixelSection($0) } }
        let data = section("DATASEC") ?? section("TRIMSEC")
        for keyword in ["BIASSEC", "TRIMSEC", "AMPSEC"] where header.words(keyword) != nil {
            changes.removed.append(keyword)
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
