/// The index of the pages of many images: a table and a mosaic of thumbnails.
public enum IndexPage {
    /// The live index: it loads style, script and thumbnails from its server and follows the stream of updates.
    public static var live: [UInt8] {
        PageTemplate.fill(Assets.indexPage, PageTemplate.served())
    }

    /// The index of a folder, with style, script and `snapshot` embedded. It loads thumbnails from the folder, those in
    /// view only, and makes no other request.
    /// - Returns: The file, in UTF-8.
    public static func report(_ snapshot: IndexUpdate) -> [UInt8] {
        PageTemplate.fill(
            Assets.indexPage,
            [
                "title": Array("Images · Skyfarm".utf8),
                // `'self'` has no meaning for a page that is opened as a file.
                "head": PageTemplate.head(images: "'self' file:"),
                "end": PageTemplate.end(snapshot: snapshot.json(), script: Assets.indexScript),
            ])
    }
}
