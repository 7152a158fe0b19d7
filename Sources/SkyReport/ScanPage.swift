import Foundation

/// The page of a scan: one HTML document and one set of scripts that draw a ``LiveUpdate``.
///
/// It has four forms: ``live`` follows the stream of updates from a server; ``served(_:picture:)`` and
/// ``running(_:name:)`` belong to a live index, for a finished image and for one that is being scanned;
/// ``report(_:preview:index:)`` embeds everything and needs no server. `PageTemplate` fills the HTML of ``Assets`` with
/// the parts in which they differ.
public enum ScanPage {
    /// The live page, which loads style, script and picture from its server and follows the stream of updates.
    public static var live: [UInt8] { page(PageTemplate.served()) }

    /// Returns the page of a finished image for a live index. It loads style and script from its server, and its
    /// picture from `picture`.
    public static func served(_ snapshot: LiveUpdate, picture: String) -> [UInt8] {
        served(snapshot, script: "image.js", picture: " src=\"\(PageTemplate.escape(picture))\"")
    }

    /// Returns the page of an image that is being scanned, for a live index. Like ``served(_:picture:)``, but it polls
    /// the state of the scan until its end. `name` is the page's name in URLs.
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
        return page(parts)
    }

    private static func page(_ parts: [String: [UInt8]]) -> [UInt8] {
        PageTemplate.page(Assets.page, start: "sky", parts)
    }

    private static func title(_ snapshot: LiveUpdate) -> [UInt8] {
        Array(PageTemplate.escape("\(snapshot.scan?.image ?? "") · Skyfarm").utf8)
    }

    private static func back(to index: String) -> [UInt8] {
        Array("<p><a href=\"\(PageTemplate.escape(index))\">← All images</a></p>".utf8)
    }

    /// Returns the report: the same page with its script, the picture of `preview` and `snapshot` embedded. It needs no
    /// other file and makes no request.
    ///
    /// - Parameters:
    ///   - snapshot: the final state of the scan.
    ///   - preview: the preview of the image.
    ///   - index: relative link to the page of all images of the job; nil for a scan of one image.
    /// - Returns: the file, in UTF-8.
    public static func report(_ snapshot: LiveUpdate, preview: Preview, index: String? = nil) -> [UInt8] {
        let picture = Data(preview.png()).base64EncodedString()
        return page(
            [
                "title": title(snapshot),
                "head": PageTemplate.head(images: "data:"),
                "back": index.map(back) ?? [],
                "picture": Array(" src=\"data:image/png;base64,\(picture)\"".utf8),
                "end": PageTemplate.end(snapshot: snapshot.json(), script: Assets.script),
            ])
    }
}
