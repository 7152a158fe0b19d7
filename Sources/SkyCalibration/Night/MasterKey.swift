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
        text = Self.checksum(Array(lines.joined(separator: "\n").utf8))
    }

    /// XXH3 in hexadecimal digits.
    static func checksum(_ bytes: [UInt8]) -> String {
        digits(bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) })
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The name of a file with the checksums of its stored images, and of the primary header, which tells what extensions
    /// have in common.
    /// - Throws: ``ImageError``.
    package static func content(of location: ImageLocation) throws -> String {
        let images = try FrameImages(location)
        var sums = try images.images.indices.map { index in
            digits(try FITSImage(images.location(of: index)).stored.checksum())
        }
        if images.images.contains(where: { $0.number > 0 }) { sums.append(checksum(images.primary.bytes)) }
        let name = location.path.split(separator: "/").last.map(String.init) ?? location.path
        return ([name] + sums).joined(separator: " ")
    }

}

/// The key of a master and the names of its frames, as its header tells them.
package struct MasterContent: Equatable, Sendable {
    package let key: String
    /// The names of the frames that were combined.
    package let frames: [String]

    /// Reads the header of a master; nil without a key, or without such a file.
    package init?(at path: String) {
        let location = ImageLocation(path: path, selector: .firstImage)
        guard let header = (try? FITSImage(location))?.header, let key = header.text(MasterKey.keyword) else {
            return nil
        }
        self.key = key
        frames = (0..<header.count).compactMap { index in
            guard MasterHeader.isName(header.keyword(at: index)), let card = HeaderCard(header[index].utf8),
                case .text(let name) = card.value
            else { return nil }
            return name
        }
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
