import Foundation
public import SkyImage

/// A scan as one HTML file: picture, sources, who did what, and how to do it again. It needs no other file.
public enum ReportPage {
    /// Makes the page.
    ///
    /// - Parameters:
    ///   - contents: what is known of the scan.
    ///   - timeline: its course.
    ///   - table: its catalogue.
    ///   - preview: its image.
    ///   - step: the step whose sectors are mapped.
    /// - Returns: the file, in UTF-8.
    /// - Throws: ``PNGError``.
    public static func html(
        _ contents: ReportContents, timeline: ScanTimeline, table: CatalogueTable, preview: Preview, step: String
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let data = try encoder.encode(
            ReportData(contents, timeline, table, factor: preview.factor, step: step))
        let picture = "data:image/png;base64," + Data(try preview.png()).base64EncodedString()
        return assemble([
            "title": Array(escape("\(contents.image) · Skyfarm").utf8), "style": Assets.style, "script": Assets.script,
            "picture": Array(picture.utf8), "data": escapedForScript(data),
        ])
    }

    /// The page's frame with its `{{names}}` replaced.
    private static func assemble(_ parts: [String: [UInt8]]) -> [UInt8] {
        var page: [UInt8] = []
        var rest = Assets.frame[...]
        while let start = rest.firstRange(of: Array("{{".utf8)), let end = rest.firstRange(of: Array("}}".utf8)) {
            page += rest[..<start.lowerBound]
            page += parts[String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self)] ?? []
            rest = rest[end.upperBound...]
        }
        return page + rest
    }

    /// Text that stands for itself in HTML.
    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    /// JSON that no element of HTML ends in: outside of strings there is no `<`, and there it may be escaped.
    static func escapedForScript(_ json: Data) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        for byte in json {
            if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
        }
        return bytes
    }
}
