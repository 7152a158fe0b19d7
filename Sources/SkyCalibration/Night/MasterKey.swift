internal import CXXHash
package import SkyFITS

/// The identity of the content of a master: its frames, and how they are combined. The same key stands for the same
/// pixels.
package struct MasterKey: Equatable, Sendable {
    package let text: String
    /// The card that holds it.
    package static let keyword = "CALKEY"

    /// The key of a master of frames.
    /// - Parameters:
    ///   - kind: of the frames.
    ///   - steps: what is done with the frames, in words, with the keys of the masters that are used.
    ///   - frames: names and checksums of the frames, in their order.
    package init(_ kind: FrameKind, steps: [String], frames: [String]) {
        // The number is that of the definition of masters.
        let lines = ["master 1", kind.rawValue] + steps + frames
        let bytes = Array(lines.joined(separator: "\n").utf8)
        text = Self.digits(bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) })
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The name of a file with the checksums of its stored images.
    /// - Throws: ``ImageError``.
    package static func content(of location: ImageLocation) throws -> String {
        let images = try FrameImages(location)
        let sums = try images.images.indices.map { index in
            digits(try FITSImage(images.location(of: index)).stored.checksum())
        }
        let name = location.path.split(separator: "/").last.map(String.init) ?? location.path
        return ([name] + sums).joined(separator: " ")
    }

    /// The key that a master's header has; nil without one, or without such a file.
    package static func ofMaster(at path: String) -> String? {
        let location = ImageLocation(path: path, selector: .firstImage)
        return (try? FITSImage(location))?.header.text(keyword)
    }
}

extension FrameGroup {
    /// The cards by which a master is found on a later run, beside those that all frames share.
    package func cards(_ key: MasterKey) -> [HeaderEntry] {
        let summary = summary
        var cards = [
            HeaderEntry("IMAGETYP", .text("master \(kind.rawValue)")),
            HeaderEntry(MasterKey.keyword, .text(key.text), comment: "of the frames and how they are combined"),
        ]
        if let time = summary.time {
            cards.append(HeaderEntry("MJD-AVG", .real(time), comment: "mean of the middles of the exposures"))
        }
        if let temperature = summary.temperature {
            cards.append(HeaderEntry("CCD-TEMP", .real(temperature), comment: "mean"))
        }
        // Times that differ by some milliseconds are no card that all share.
        let times = frames.compactMap(\.exposure)
        if kind == .dark, !times.isEmpty {
            cards.append(HeaderEntry("EXPTIME", .real(times.reduce(0, +) / Double(times.count)), comment: "seconds"))
        }
        return cards
    }
}

extension FrameImages {
    /// Reads all samples of a frame.
    /// - Throws: ``ImageError``, ``OutputError``.
    package static func requireReadable(_ location: ImageLocation) throws {
        let images = try FrameImages(location)
        for index in images.images.indices { _ = try FramePixels(images.location(of: index)).readAll() }
    }
}
