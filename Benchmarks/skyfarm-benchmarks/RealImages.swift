import Foundation
import SkyFITS

/// Real images: as they are, parts of them, and tiled to larger ones.
struct RealImages {
    struct Entry {
        var name: String
        var file: URL
        var pixels: Int
    }

    /// Pixels per side of the parts and tiled images, about: 0.06, 0.25, 4, 16 and 100 million pixels.
    private static let sides = [250, 500, 2000, 4000, 10_000]

    /// The folder of the sky images, `SKYFARM_TEST_DATA`, and the frames of Debian's `eso-midas-testdata`. Files that hold
    /// no plain 2-D image in their primary HDU are left out, since source-extractor would scan another one, and so are
    /// those below 200 pixels a side, and tile-compressed ones. Tiled images have at most `largest` pixels a side. A part is
    /// cut from the middle.
    static func all(upTo largest: Int, in folder: URL) throws -> [Entry] {
        let midas = "/usr/lib/eso-midas"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: midas)) ?? []
        let folders =
            [ProcessInfo.processInfo.environment["SKYFARM_TEST_DATA"]].compactMap(\.self)
            + versions.map { "\(midas)/\($0)/test/prim" }
        var entries: [Entry] = []
        for source in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: source)) ?? []
            for name in names.sorted() where name.hasSuffix(".fits") && !name.contains("weight") {
                guard let image = try? FITSImage("\(source)/\(name)[0]"), min(image.width, image.height) >= 200 else {
                    continue
                }
                let file = URL(filePath: "\(source)/\(name)")
                entries.append(Entry(name: name, file: file, pixels: image.width * image.height))
            }
        }
        if entries.isEmpty {
            throw BenchmarkError("no real images; set SKYFARM_TEST_DATA, or install eso-midas-testdata")
        }
        return try entries + tiled(entries, upTo: largest, in: folder)
    }

    /// Tiled images, each of another original.
    private static func tiled(_ originals: [Entry], upTo largest: Int, in folder: URL) throws -> [Entry] {
        let large = originals.filter { $0.pixels >= 500_000 }
        guard !large.isEmpty else { return [] }
        return try sides.filter { $0 <= largest }.enumerated().flatMap { index, side in
            try (0..<2).map { offset in
                try tile(large[(2 * index + offset) % large.count], toAbout: side, in: folder)
            }
        }
    }

    private static func tile(_ original: Entry, toAbout side: Int, in folder: URL) throws -> Entry {
        let image = try FITSImage("\(original.file.path)[0]")
        let (width, height) = (image.width, image.height)
        let (part, lines) = (min(side, width), min(side, height))
        let (across, down) = (side / part, side / lines)
        let isPart = part < width || lines < height
        let name = "\(original.name), " + (isPart ? "part" : "\(across) x \(down)")
        let file = folder.appending(path: "tiled-\(side)-\(original.name)")
        let entry = Entry(name: name, file: file, pixels: across * part * down * lines)
        if FileManager.default.fileExists(atPath: file.path) { return entry }
        var pixels = [Float](repeating: 0, count: width * height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<height, into: $0) }
        let writer = try FITSImageWriter(
            path: file.path, width: across * part, height: down * lines, type: .float32)
        let (left, top) = ((width - part) / 2, (height - lines) / 2)
        for row in 0..<down * lines {
            let start = (top + row % lines) * width + left
            let line = pixels[start..<start + part]
            try writer.write(row: (0..<across).flatMap { _ in line })
        }
        try writer.finish()
        return entry
    }
}
