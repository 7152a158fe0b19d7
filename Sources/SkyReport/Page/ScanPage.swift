import Foundation

/// The page of a scan: one HTML document and one set of scripts, which draw a ``LiveUpdate``.
public enum ScanPage {
    /// The live page: it loads style, script and picture from its server and follows the stream of updates.
    public static var live: [UInt8] { PageTemplate.fill(Assets.page, PageTemplate.served) }

    /// The report: the same page with its script, the picture of `preview` and `snapshot` embedded. It needs no other
    /// file and makes no request.
    ///
    /// - Parameters:
    ///   - snapshot: The scan.
    ///   - preview: Its image.
    ///   - index: The page of all images of the job, as a relative link; nil for a scan of one image.
    /// - Returns: The file, in UTF-8.
    /// - Throws: ``PNGError``.
    public static func report(
        _ snapshot: LiveUpdate, preview: Preview, index: String? = nil
    ) throws(PNGError) -> [UInt8] {
        let picture = Data(try preview.png()).base64EncodedString()
        let back = index.map { "<p><a href=\"\(PageTemplate.escape($0))\">← All images</a></p>" } ?? ""
        return PageTemplate.fill(
            Assets.page,
            [
                "title": Array(PageTemplate.escape("\(snapshot.scan?.image ?? "") · Skyfarm").utf8),
                "head": PageTemplate.head(images: "data:"),
                "back": Array(back.utf8),
                "picture": Array(" src=\"data:image/png;base64,\(picture)\"".utf8),
                "end": PageTemplate.end(snapshot: snapshot.json(), script: Assets.script),
            ])
    }
}
