import Foundation
import ScanCluster
import SkyImage

/// The parts of the newest pages of a live index, as files in a temporary folder, which is removed with the object. The
/// oldest pages make room for further ones.
final class PageStore: Sendable {
    /// A part of a page.
    enum Part: String, CaseIterable {
        /// The page's HTML, with its snapshot.
        case page
        /// The image, as PNG.
        case picture
        case thumbnail
    }

    private struct State {
        /// Names and sizes, oldest first.
        var pages = Queue<(name: String, byteCount: Int)>()
        var byteCount = 0
    }

    let folder: String
    private let limit: Int
    private let state = Locked(State())

    /// An empty store for `limit` bytes.
    /// - Throws: ``OutputError`` if the folder cannot be made.
    init(limit: Int = 512 << 20) throws(OutputError) {
        self.limit = limit
        folder = NSTemporaryDirectory() + "skyfarm-pages-\(UUID().uuidString)/"
        try OutputTemplate.makeFolder(of: folder + "x")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Adds a page.
    /// - Returns: the names of those that are no longer kept.
    /// - Throws: ``OutputError``.
    func add(_ name: String, _ parts: [(Part, [UInt8])]) throws(OutputError) -> [String] {
        for (part, bytes) in parts {
            let file = try AtomicFile(path: path(name, part), overwrite: true)
            try file.write(bytes)
            try file.commit()
        }
        let count = parts.reduce(0) { $0 + $1.1.count }
        let dropped = state.withLock { state in
            state.pages.append((name, count))
            state.byteCount += count
            var dropped: [String] = []
            while state.byteCount > limit, state.pages.count > 1, let oldest = state.pages.popFirst() {
                state.byteCount -= oldest.byteCount
                dropped.append(oldest.name)
            }
            return dropped
        }
        for name in dropped {
            for part in Part.allCases { unlink(path(name, part)) }
        }
        return dropped
    }

    /// A part of a page; nil if it is not kept.
    func bytes(_ name: String, _ part: Part) -> [UInt8]? {
        // The name comes from a request.
        if name.contains("/") { return nil }
        return FileManager.default.contents(atPath: path(name, part)).map { Array($0) }
    }

    private func path(_ name: String, _ part: Part) -> String { "\(folder)\(name).\(part.rawValue)" }
}
