import Foundation

/// The page of a scan: one HTML document and one set of scripts, which draw a ``LiveUpdate``.
public enum ScanPage {
    /// The live page: it loads style, script and picture from its server and follows the stream of updates.
    public static var live: [UInt8] { PageTemplate.fill(Assets.page, PageTemplate.served()) }

    /// The page of an image that is done, for a live index: it loads style and script from its server, and its picture
    /// from `picture`.
    public static func served(_ snapshot: LiveUpdate, picture: String) -> [UInt8] {
        served(snapshot, script: "image.js", picture: " src=\"\(PageTemplate.escape(picture))\"")
    }

    /// The page of an image that is being scanned, for a live index: as ``served(_:picture:)``, and it asks for the state
    /// of the scan until that has ended. `name` is the page's name in addresses.
    public static func running(_ snapshot: LiveUpdate, name: String) -> [UInt8] {
        let name = PageTemplate.escape(name)
        return served(
            snapshot, script: "running.js",
            picture: " data-picture=\"../pictures/\(name)\" data-updates=\"../updates/\(name)\"")
    }

    private static func served(_ snapshot: LiveUpdate, script: String, picture: String) -> [UInt8] {
        var parts = PageTemplate.served(script: script, root: "../")
        parts["title"] = title(snapshot)
        parts["back"] = back(to: "../")
        parts["picture"] = Array(picture.utf8)
        parts["end"] = PageTemplate.data(snapshot.json())
        return PageTemplate.fill(Assets.page, parts)
    }

    private static func title(_ snapshot: LiveUpdate) -> [UInt8] {
        Array(PageTemplate.escape("\(snapshot.scan?.image ?? "") · Skyfarm").utf8)
    }

    private static func back(to index: String) -> [UInt8] {
        Array("<p><a href=\"\(PageTemplate.escape(index))\">← All images</a></p>".utf8)
    }

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
        return PageTemplate.fill(
            Assets.page,
            [
                "title": title(snapshot),
                "head": PageTemplate.head(images: "data:"),
                "back": index.map(back) ?? [],
                "picture": Array(" src=\"data:image/png;base64,\(picture)\"".utf8),
                "end": PageTemplate.end(snapshot: snapshot.json(), script: Assets.script),
            ])
    }
}
