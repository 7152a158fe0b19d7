import Foundation
package import ScanBasics
import ScanCluster
import SkyFITS

/// The folder of the pages of a job of many images: `index.html`, a page for each image, and `thumbnails`.
package struct PageFolder: Sendable {
    /// Ends in `/`.
    package let path: String

    /// Prepares the folder, which is made if it is missing.
    /// - Throws: ``OutputError`` if it cannot be written to, or if it has pages that may not be replaced.
    package init(_ path: String, overwrite: Bool) throws(OutputError) {
        self.path = path.hasSuffix("/") ? path : path + "/"
        try OutputTemplate.makeFolder(of: self.path + "thumbnails/x")
        let names = (try? ReadableFiles.current.names(in: path)) ?? []
        let pages = names.sorted().filter { $0.hasSuffix(".html") }
        if !overwrite, let page = pages.first(where: { [path = self.path] in !ProcessFiles.isOwn(path + $0) }) {
            throw OutputError(
                .exists, "\(self.path)\(page): exists already; name another folder for --report, or add --overwrite")
        }
        for name in ["index.html", "thumbnails/x"] { try AtomicFile.check(path: self.path + name, overwrite: true) }
    }

    /// Writes the page of an image and its thumbnail.
    /// - Throws: ``OutputError``.
    package func write(_ name: String, page: [UInt8], thumbnail: [UInt8]) throws(OutputError) {
        try write(thumbnail, "thumbnails/\(name).png")
        try write(page, "\(name).html")
    }

    /// Writes the index.
    /// - Throws: ``OutputError``.
    package func write(index: [UInt8]) throws(OutputError) { try write(index, "index.html", syncsFolder: true) }

    /// The names of thousands of files need not be durable one by one: a page can be made again.
    private func write(_ bytes: [UInt8], _ name: String, syncsFolder: Bool = false) throws(OutputError) {
        // The folder had no pages that may not be replaced.
        let file = try AtomicFile(path: path + name, overwrite: true)
        try file.write(bytes)
        try file.commit(syncsFolder: syncsFolder)
    }
}

/// Names of pages: stem and HDU of the image, as in `ngc1.0`. Files of one stem in several folders get a number. Of
/// watched folders, whose files are not remembered, the folder is a part of the name. Pure.
package struct PageNames: Sendable {
    private let folders: [String]
    private var stems: [String: String] = [:]
    private var taken: Set<String> = []

    /// No file has a name. Of watched `folders` the number is that of the folder: nothing is kept of their files.
    package init(watching folders: [String] = []) { self.folders = folders }

    /// The name of the page of an HDU, or of a plane of its cube, of the file at `path`.
    package mutating func name(_ path: String, hdu: Int, plane: Int? = nil) -> String {
        let image = "\(hdu)" + (plane.map { ".\($0)" } ?? "")
        if let stem = stems[path] { return "\(stem).\(image)" }
        let url = URL(fileURLWithPath: path)
        let stem = InputList.stem(of: url.lastPathComponent)
        if !folders.isEmpty {
            let folder = (path as NSString).deletingLastPathComponent
            let place = folders.firstIndex { folder == $0 || folder.hasPrefix("\($0)/") } ?? 0
            // The names of the folders below the watched one follow.
            let below = folders.indices.contains(place) ? folder.dropFirst(folders[place].count) : ""
            return "\(Self.escaped(stem))\(Self.number(ofFolder: place))\(Self.escaped(String(below))).\(image)"
        }
        // Some file systems do not distinguish upper and lower case.
        var (unique, number) = (stem, 1)
        while !taken.insert(unique.lowercased()).inserted {
            number += 1
            unique = "\(stem)~\(number)"
        }
        stems[path] = unique
        return "\(unique).\(image)"
    }

    /// The text in a form that no other text has and that is a part of a file's name, as in JSON pointers (RFC 6901).
    private static func escaped(_ text: String) -> String {
        text.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The mark of a watched folder, which begins as no escaped text does: `~2` to `~9`, then `~910` and so on.
    private static func number(ofFolder place: Int) -> String {
        place == 0 ? "" : place < 9 ? "~\(place + 1)" : "~9\(place + 1)"
    }
}
