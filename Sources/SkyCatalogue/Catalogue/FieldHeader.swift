public import SkyFITS

/// The header of an image with entries about its scan: the field header of LDAC catalogues.
public struct FieldHeader: Hashable, Sendable {
    /// The cards of the image's header.
    public var image: FITSHeader
    /// Entries appended to the cards.
    public var entries: [HeaderEntry]

    /// Creates a header from the image's cards and further entries.
    public init(image: FITSHeader, entries: [HeaderEntry]) { (self.image, self.entries) = (image, entries) }

    /// Returns all cards, with END at the end, or nil if memory is exhausted.
    package func cards() -> [UInt8]? {
        guard let memory = FITSMemoryFile() else { return nil }
        memory.makeEmptyImage()
        guard let before = memory.headerBytes() else { return nil }
        entries.forEach(memory.write)
        guard let after = memory.headerBytes() else { return nil }
        func plain(_ bytes: [UInt8]) -> [UInt8] {
            let header = FITSHeader(bytes: bytes)
            let end = (0..<header.count).first { header.keyword(at: $0) == "END" } ?? header.count
            return Array(bytes[..<(end * FITSHeader.cardLength)])
        }
        let added = Array(plain(after).dropFirst(plain(before).count))
        return plain(image.bytes) + added + FITSHeader(cards: []).bytes
    }
}
