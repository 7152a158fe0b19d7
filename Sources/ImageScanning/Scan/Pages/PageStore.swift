import Foundation
package import ScanBasics
import ScanCluster

/// The parts of the newest pages of a live index, in a temporary file without a name: only this process can read it, and it
/// is gone with the process, however that ends. The oldest pages make room for further ones.
package final class PageStore: Sendable {
    /// A part of a page.
    package enum Part: String, CaseIterable {
        /// The page's HTML, with its snapshot.
        case page
        /// The image, as PNG.
        case picture
        case thumbnail
    }

    private struct State {
        var ring: PageRing
        var pages: [String: (offset: Int, parts: [Part: Range<Int>])] = [:]
    }

    private let file: OpenDescriptor
    private let state: Locked<State>

    /// An empty store for `limit` bytes.
    /// - Throws: ``OutputError`` if the file cannot be made.
    package init(limit: Int = 512 << 20) throws(OutputError) {
        let path = NSTemporaryDirectory() + "skyfarm-pages-\(UUID().uuidString)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw OutputError(.unwritable, "\(path): \(String(cString: strerror(errno)).lowercased()); set TMPDIR")
        }
        unlink(path)
        file = OpenDescriptor(descriptor)
        state = Locked(State(ring: PageRing(capacity: limit)))
    }

    /// Adds a page.
    /// - Returns: the names of those that are no longer kept.
    /// - Throws: ``OutputError``.
    package func add(_ name: String, _ parts: [(Part, [UInt8])]) throws(OutputError) -> [String] {
        try state.withLock { state throws(OutputError) in
            let (start, dropped) = state.ring.place(name, byteCount: parts.reduce(0) { $0 + $1.1.count })
            // A page that was made again has another place by now.
            let gone = dropped.filter { state.pages[$0.name]?.offset == $0.offset }.map(\.name)
            for name in gone { state.pages[name] = nil }
            var (offset, places) = (start, [Part: Range<Int>]())
            for (part, bytes) in parts {
                try write(bytes, at: offset)
                places[part] = offset..<offset + bytes.count
                offset += bytes.count
            }
            state.pages[name] = (start, places)
            return gone.filter { $0 != name }
        }
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(OutputError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(file.number, $0.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let cause = String(cString: strerror(errno)).lowercased()
                throw OutputError(.noSpace, "the live page: \(cause); free some room in \(NSTemporaryDirectory())")
            }
            written += count
        }
    }

    /// A part of a page; nil if it is not kept.
    package func bytes(_ name: String, _ part: Part) -> [UInt8]? {
        state.withLock { state in
            guard let place = state.pages[name]?.parts[part] else { return nil }
            return try? file.bytes(at: Int64(place.lowerBound), count: place.count)
        }
    }
}

/// Where pages lie in a file that is used over and over: one after another, until those at its end give way to the first
/// ones again. Pure.
struct PageRing: Sendable {
    private let capacity: Int
    /// Oldest first.
    private var pages: [(name: String, place: Range<Int>)] = []
    private var next = 0

    init(capacity: Int) { self.capacity = capacity }

    /// A place for a page; one that is larger than the capacity is alone.
    /// - Returns: its offset, and the pages that were there.
    mutating func place(_ name: String, byteCount: Int) -> (offset: Int, dropped: [(name: String, offset: Int)]) {
        var dropped: [(name: String, offset: Int)] = []
        func drop(while condition: (Range<Int>) -> Bool) {
            while let first = pages.first, condition(first.place) {
                pages.removeFirst()
                dropped.append((first.name, first.place.lowerBound))
            }
        }
        if next + byteCount > capacity {
            // The rest of the file is left out. What lies there is older than what lies at its beginning.
            drop { $0.lowerBound >= next }
            next = 0
        }
        let place = next..<next + byteCount
        drop { $0.overlaps(place) }
        pages.append((name, place))
        next = place.upperBound
        return (place.lowerBound, dropped)
    }
}
