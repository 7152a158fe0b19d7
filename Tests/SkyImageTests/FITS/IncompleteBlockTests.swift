import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite("files that end before the padding of their last block")
struct IncompleteBlockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A type of stored samples.
    struct Samples: CustomStringConvertible, Sendable {
        var bitpix: Int
        var cards: [String] = []
        var description: String { "\(bitpix) \(cards)" }

        static let all = [
            Samples(bitpix: 8), Samples(bitpix: 16), Samples(bitpix: 32), Samples(bitpix: 64), Samples(bitpix: -32),
            Samples(bitpix: -64), Samples(bitpix: 16, cards: [RawFITS.card("BZERO", "32768")]),
            Samples(bitpix: 32, cards: [RawFITS.card("BSCALE", "0.3"), RawFITS.card("BLANK", "7")]),
            Samples(bitpix: 16, cards: [RawFITS.card("BSCALE", "2.92273835509"), RawFITS.card("BLANK", "7")]),
            Samples(bitpix: -32, cards: [RawFITS.card("BSCALE", "2.0"), RawFITS.card("BZERO", "-1.0")]),
            Samples(bitpix: -64, cards: [RawFITS.card("BZERO", "5.0")]),
        ]

        func bytes(_ count: Int) -> [UInt8] {
            let values = (0..<count).map { $0 % 120 }
            return switch bitpix {
            case 8: values.map { UInt8($0) }
            case 16: RawFITS.bytes(values.map { Int16($0 - 60) })
            case 32: RawFITS.bytes(values.map { Int32($0) })
            case 64: RawFITS.bytes(values.map { Int64($0) })
            case -32: RawFITS.bytes(values.map { $0 == 9 ? Float.nan.bitPattern : Float($0).bitPattern })
            default: RawFITS.bytes(values.map { $0 == 9 ? Double.nan.bitPattern : Double($0).bitPattern })
            }
        }
    }

    @Test("have the pixels of the padded file, whatever their type", arguments: Samples.all)
    func pixels(samples: Samples) throws {
        for (width, height) in [(3, 1), (61, 47), (700, 300)] {
            let data = samples.bytes(width * height)
            for isPrimary in [true, false] {
                let start = isPrimary ? RawFITS() : RawFITS() + RawFITS.image(bitpix: 8, axes: [])
                let cards = RawFITS.image(
                    bitpix: samples.bitpix, axes: [width, height], primary: isPrimary, extra: samples.cards)
                let whole = (start + cards + data).bytes
                let padding = (2880 - data.count % 2880) % 2880
                try #require(padding > 0)
                let padded = try FITSImage(folder.write(whole, "padded.fits"))
                #expect(padded.incompleteBlock == nil)
                for missing in Set([padding, 1]) {
                    let image = try FITSImage(folder.write(whole.dropLast(missing), "cut.fits"))
                    #expect(image.incompleteBlock != nil)
                    let rows = [0..<height, height / 2..<height, height - 1..<height, 0..<1]
                    for (rows, columns) in rows.flatMap({ [($0, 0..<width), ($0, width / 2..<width)] }) {
                        let own = try image.pixels(rows: rows, columns: columns).map(\.bitPattern)
                        let expected = try padded.pixels(rows: rows, columns: columns).map(\.bitPattern)
                        #expect(own == expected, "\(samples), \(width)x\(height), rows \(rows), columns \(columns)")
                    }
                }
            }
        }
    }

    @Test("a file that lacks a byte of its data is truncated")
    func truncated() throws {
        let data = [UInt8](repeating: 1, count: 5000)
        let whole = (RawFITS() + RawFITS.image(bitpix: 8, axes: [100, 50]) + data).bytes
        expect(.truncated, "needs 7880 bytes, the file has 7879") {
            try FITSImage(folder.write(whole.dropLast(8640 - 7879), "cut.fits"))
        }
    }

    @Test("compressed files need their padding; the error says how to add it")
    func compressed() throws {
        let path = folder.path("tiles.fits")
        let whole = try CompressedFile.all[1].write(to: path)
        expect(.truncated, "truncate -s %2880") { try FITSImage(folder.write(whole.dropLast(1), "cut.fits")) }
    }
}
