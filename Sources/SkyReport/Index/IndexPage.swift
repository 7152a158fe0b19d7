/// The index page of many images: a table and a mosaic of thumbnails.
public enum IndexPage {
    /// The live index, which loads style, script and thumbnails from its server and follows the stream of updates.
    public static var live: [UInt8] {
        page(PageTemplate.served())
    }

    /// Returns the index of a folder, with style, script and `snapshot` embedded. It loads the visible thumbnails from
    /// the folder and makes no other request.
    /// - Returns: the file, in UTF-8.
    public static func report(_ snapshot: IndexUpdate) -> [UInt8] {
        page(
            [
                "title": Array("Images · Skyfarm".utf8),
                // `'self'` has no meaning for a page that is opened as a file.
                "head": PageTemplate.head(images: "'self' file:"),
                "end": PageTemplate.end(snapshot: snapshot.json(), script: Assets.indexScript),
            ])
    }

    private static func page(_ parts: [String: [UInt8]]) -> [UInt8] {
        PageTemplate.page(Assets.indexPage, start: "images", kind: "index-page", parts)
    }
}
