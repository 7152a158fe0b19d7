/// Fills the HTML of the folder `Assets`, with `{{names}}` for the parts in which pages differ.
enum PageTemplate {
    /// Returns a page: the frame of all pages with `parts` and `content`, in which the same parts are filled in. `start` is
    /// the element to which a keyboard skips.
    static func page(_ content: [UInt8], start: String, kind: String? = nil, _ parts: [String: [UInt8]]) -> [UInt8] {
        var parts = parts
        parts["content"] = fill(content, parts)
        parts["start"] = Array(start.utf8)
        parts["kind"] = kind.map { Array(" class=\"\($0)\"".utf8) }
        return fill(Assets.frame, parts)
    }

    /// Returns the HTML with its `{{names}}` replaced by `parts`; names without a part are removed.
    static func fill(_ html: [UInt8], _ parts: [String: [UInt8]]) -> [UInt8] {
        var page: [UInt8] = []
        page.reserveCapacity(html.count + parts.values.reduce(0) { $0 + $1.count })
        var rest = html[...]
        while let start = place(of: "{", in: rest), let end = place(of: "}", in: rest[start...]) {
            page += rest[..<start]
            page += parts[String(decoding: rest[start + 2..<end], as: UTF8.self)] ?? []
            rest = rest[(end + 2)...]
        }
        return page + rest
    }

    /// Returns the place of the first two of a brace in a row. A search for any sequence takes a millisecond.
    private static func place(of brace: Unicode.Scalar, in html: ArraySlice<UInt8>) -> Int? {
        let brace = UInt8(ascii: brace)
        return html.indices.dropLast().first { html[$0] == brace && html[$0 + 1] == brace }
    }

    /// Returns the parts of a page that loads style and script from its server. `root` is the path of the server's root
    /// relative to the page; it is not absolute, since the first part of the path may be a token.
    static func served(
        title: String = "Skyfarm", script: String = "page.js", root: String = ""
    ) -> [String: [UInt8]] {
        [
            "title": Array(escape(title).utf8),
            "head": Array(
                """
                <link rel="icon" href="\(root)icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="\(root)page.css">
                <script src="\(root)\(script)" defer></script>
                """.utf8),
        ]
    }

    /// Returns the head of a page with its style embedded, which may load images from `images` and nothing else, and
    /// has scripts from `scripts`.
    static func head(images: String, scripts: String = "'unsafe-inline'") -> [UInt8] {
        let policy =
            "default-src 'none'; img-src \(images); style-src 'unsafe-inline'; script-src \(scripts); "
            + "base-uri 'none'; form-action 'none'"
        return Array("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n<style>\n".utf8)
            + Assets.style + Array("</style>".utf8)
    }

    /// Returns the end of a page with snapshot and script embedded.
    static func end(snapshot: [UInt8], script: [UInt8]) -> [UInt8] {
        data(snapshot) + Array("<script>\n".utf8) + script + Array("</script>\n".utf8)
    }

    /// Returns the snapshot as a data element that the page's script reads.
    static func data(_ snapshot: [UInt8]) -> [UInt8] {
        Array("<script type=\"application/json\" id=\"snapshot\">".utf8)
            + escapedForScript(snapshot) + Array("</script>\n".utf8)
    }

    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    /// Escapes `<` in JSON, which could end the script element. It occurs only in strings, where it may be escaped.
    private static func escapedForScript(_ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        for byte in json {
            if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
        }
        return bytes
    }
}
