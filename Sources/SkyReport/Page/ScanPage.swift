import Foundation

/// The page of a scan: one HTML document and one set of scripts, which draw a ``LiveUpdate``.
public enum ScanPage {
    /// The live page: it loads style, script and picture from its server and follows the stream of updates.
    public static var live: [UInt8] {
        assemble([
            "title": Array("Skyfarm".utf8),
            "head": Array(
                """
                <link rel="icon" href="/icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="/page.css">
                <script src="/page.js" defer></script>
                """.utf8),
        ])
    }

    /// The report: the same page with its script, the picture of `preview` and `snapshot` embedded. It needs no other
    /// file and makes no request.
    ///
    /// - Returns: The file, in UTF-8.
    /// - Throws: ``PNGError``.
    public static func report(_ snapshot: LiveUpdate, preview: Preview) throws(PNGError) -> [UInt8] {
        let picture = Data(try preview.png()).base64EncodedString()
        let policy =
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
            + "base-uri 'none'; form-action 'none'"
        return assemble([
            "title": Array(escape("\(snapshot.scan?.image ?? "") · Skyfarm").utf8),
            "head": Array("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n<style>\n".utf8)
                + Assets.style + Array("</style>".utf8),
            "picture": Array(" src=\"data:image/png;base64,\(picture)\"".utf8),
            "end": Array("<script type=\"application/json\" id=\"snapshot\">".utf8)
                + escapedForScript(snapshot.json()) + Array("</script>\n<script>\n".utf8) + Assets.script
                + Array("</script>\n".utf8),
        ])
    }

    /// The HTML with its `{{names}}` replaced.
    private static func assemble(_ parts: [String: [UInt8]]) -> [UInt8] {
        var page: [UInt8] = []
        var rest = Assets.page[...]
        while let start = rest.firstRange(of: Array("{{".utf8)), let end = rest.firstRange(of: Array("}}".utf8)) {
            page += rest[..<start.lowerBound]
            page += parts[String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self)] ?? []
            rest = rest[end.upperBound...]
        }
        return page + rest
    }

    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    /// JSON without `<`, which could end the script element. It occurs in strings only, where it may be escaped.
    private static func escapedForScript(_ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        for byte in json {
            if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
        }
        return bytes
    }
}
