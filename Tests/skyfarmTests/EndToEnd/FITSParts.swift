import Foundation

/// The header-and-data units of a FITS file of images and tables, as bytes.
struct FITSParts {
    /// A unit: its cards without END, and its data with padding.
    struct Unit: Equatable {
        var cards: [String]
        var data: Data

        /// The integer of a card; nil if there is none.
        func integer(_ key: String) -> Int? {
            let name = key.padding(toLength: 8, withPad: " ", startingAt: 0) + "= "
            return cards.first { $0.hasPrefix(name) }.flatMap { card in
                Int(card.dropFirst(name.count).prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces))
            }
        }
    }

    private(set) var units: [Unit] = []

    private static let (cardLength, blockLength) = (80, 2880)

    struct Failure: Error { var description: String }

    init(_ bytes: Data) throws {
        var rest = bytes
        while !rest.isEmpty {
            var unit = Unit(cards: [], data: Data())
            while let card = Self.take(Self.cardLength, from: &rest), card.trimmingCharacters(in: .whitespaces) != "END"
            {
                unit.cards.append(card)
            }
            _ = Self.take((rest.startIndex - bytes.startIndex).distanceToBlock, from: &rest)
            let axes = unit.integer("NAXIS") ?? 0
            let count = axes == 0 ? 0 : (1...axes).map { unit.integer("NAXIS\($0)") ?? 0 }.reduce(1, *)
            let length = (count + (unit.integer("PCOUNT") ?? 0)) * abs(unit.integer("BITPIX") ?? 0) / 8
            guard rest.count >= length + length.distanceToBlock else {
                throw Failure(description: "the data are short")
            }
            unit.data = Data(rest.prefix(length + length.distanceToBlock))
            rest = rest.dropFirst(unit.data.count)
            units.append(unit)
        }
    }

    private static func take(_ count: Int, from rest: inout Data) -> String? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    /// A file whose extensions, named `CCD1` and so on, are the primary images of `files`.
    static func mosaic(of files: [Data]) throws -> Data {
        var mosaic = Unit(
            cards: [card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "0")], data: Data()
        ).bytes
        for (index, file) in files.enumerated() {
            guard var unit = try FITSParts(file).units.first else { throw Failure(description: "no image") }
            unit.cards[0] = card("XTENSION", "'IMAGE   '")
            let further = [card("PCOUNT", "0"), card("GCOUNT", "1"), card("EXTNAME", "'CCD\(index + 1)'")]
            unit.cards.insert(contentsOf: further, at: 5)
            mosaic += unit.bytes
        }
        return mosaic
    }

    private static func card(_ key: String, _ value: String) -> String {
        let name = key.padding(toLength: 8, withPad: " ", startingAt: 0) + "= "
        let isText = value.hasPrefix("'")
        let text = isText ? value : String(repeating: " ", count: 20 - value.count) + value
        return (name + text).padding(toLength: cardLength, withPad: " ", startingAt: 0)
    }
}

extension FITSParts.Unit {
    /// The unit as it is in a file.
    fileprivate var bytes: Data {
        var header = cards.joined() + "END".padding(toLength: 80, withPad: " ", startingAt: 0)
        header += String(repeating: " ", count: header.utf8.count.distanceToBlock)
        return Data(header.utf8) + data
    }
}

extension Int {
    /// Bytes of padding after this number of bytes.
    fileprivate var distanceToBlock: Int { (2880 - self % 2880) % 2880 }
}
