import CFITSIO
import Foundation
import SkyTestSupport
import Testing

import SkyFITS

extension StoredSamples {
    /// The pixels of a window, read through a piece; nil if there is no piece.
    func pixels(rows: Range<Int>, columns: Range<Int>) throws -> [Float]? {
        guard let piece = piece(of: PixelRect(x: columns, y: rows)) else { return nil }
        var bytes = [UInt8](repeating: 0xa5, count: piece.byteCount)
        try bytes.withUnsafeMutableBytes { try read(piece, into: $0) }
        var pixels = [Float](repeating: -7, count: rows.count * columns.count)
        try pixels.withUnsafeMutableBufferPointer { target in
            try bytes.withUnsafeBytes {
                try FITSImage.read(
                    piece: $0, column: piece.column, row: piece.row, size: (columns.count, rows.count), into: target)
            }
        }
        return pixels
    }
}

@Suite("stored samples, converted elsewhere")
struct StoredSamplesTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(UInt64.init) ?? 1
    static let cases = ProcessInfo.processInfo.environment["SKYFARM_SAMPLE_CASES"].flatMap(UInt64.init) ?? 500

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Kind: Hashable {
        var bitpix: Int32
        var compression: Int32?
    }

    @Test("random files of every type and compression: the pixels are those that the file's reader gives")
    func random() throws {
        var found: [Kind: Int] = [:]
        for seed in Self.first..<Self.first + Self.cases {
            var source = RandomFITS(seed: seed)
            let path = folder.path("\(seed).fits")
            #expect(throws: Never.self, "seed \(seed): \(source)") { try source.write(to: path) }
            let image = try FITSImage(path)
            let stored = try #require(try StoredSamples(image, in: image.stored.opened()), "seed \(seed): \(source)")
            for _ in 0..<3 {
                let (rows, columns) = source.window()
                let expected = try image.pixels(rows: rows, columns: columns)
                let pixels = try #require(try stored.pixels(rows: rows, columns: columns), "seed \(seed): \(source)")
                #expect(
                    pixels.map(\.bitPattern) == expected.map(\.bitPattern),
                    "seed \(seed): \(source), rows \(rows), columns \(columns)")
                // By a slot, in pieces.
                let window = PixelRect(x: columns, y: rows)
                for length in [nil, 700] {
                    let own = try [Float](unsafeUninitializedCapacity: window.area) { buffer, count in
                        try stored.readPixels(window, into: buffer, pieceLength: length)
                        count = window.area
                    }
                    #expect(
                        own.map(\.bitPattern) == expected.map(\.bitPattern),
                        "seed \(seed): \(source), rows \(rows), columns \(columns)")
                }
            }
            found[Kind(bitpix: source.bitpix, compression: source.compression), default: 0] += 1
            try FileManager.default.removeItem(atPath: path)
        }
        let kinds = RandomFITS.compressions.flatMap { compression, types in
            types.map { Kind(bitpix: $0, compression: compression) }
        }
        #expect(Self.cases < 300 || kinds.allSatisfy { found[$0, default: 0] > 0 })
    }

    @Test(
        "cards on which the samples depend are kept, and others are not",
        arguments: [
            (["BSCALE  =                  2.0", "OBJECT  = 'BSCALE'", "COMMENT BZERO"], [0]),
            (["bzero   =                  5.0", "BZERO   =                  6.0", "", "BLANK =  4"], [0, 1, 3]),
            (["HIERARCH ESO BZERO = 1", "HIERARCH", "=", "= 7", "= BSCALE", "BSCAL   = 3", "BSCAL\u{c9} = 3"], [4]),
            (["TFORM1  = '4 B'", "TABLE   = 'T'", "Z"], [0, 2]), ([], []),
        ] as [([String], [Int])])
    func cards(cards: [String], kept: [Int]) throws {
        let stored = try #require(try stored(cards))
        let texts = stored.cards.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
        #expect(texts == kept.map { cards[$0] })
    }

    @Test(
        "an image with such a keyword after a space or HIERARCH, where CFITSIO might find it, has no stored form",
        arguments: ["HIERARCH BZERO = 5.0", "hierarch  bscale = 5.0", " BSCALE =                2.0"])
    func unusualCard(card: String) throws { #expect(try stored([card]) == nil) }

    private func stored(_ cards: [String]) throws -> StoredSamples? {
        let file =
            RawFITS() + RawFITS.image(bitpix: 16, axes: [4, 1], extra: cards) + [UInt8](repeating: 0, count: 8)
        let image = try FITSImage(folder.write(file.bytes, "a.fits"))
        return try StoredSamples(image, in: image.stored.opened())
    }

    @Test("a damaged table gives no piece; a damaged piece gives an error")
    func damaged() throws {
        let bytes = try CompressedFile.all[1].write(to: folder.path("a.fits"))
        let image = try FITSImage(folder.path("a.fits"))
        let stored = try #require(try StoredSamples(image, in: image.stored.opened()))
        let window = PixelRect(x: 0..<image.width, y: 0..<image.height)
        let piece = try #require(stored.piece(of: window))
        // The heap's place of the first tile, beyond the file.
        var changed = bytes
        changed[image.data.lowerBound + 4] = 0x7f
        let damaged = try FITSImage(folder.write(changed, "b.fits"))
        #expect(try #require(try StoredSamples(damaged, in: damaged.stored.opened())).piece(of: window) == nil)
        var sent = [UInt8](repeating: 0, count: piece.byteCount)
        try sent.withUnsafeMutableBytes { try stored.read(piece, into: $0) }
        func read(_ bytes: [UInt8], column: Int = 0, row: Int = 0, height: Int? = nil) throws {
            var pixels = [Float](repeating: 0, count: (height ?? image.height) * image.width)
            try pixels.withUnsafeMutableBufferPointer { target in
                try bytes.withUnsafeBytes {
                    try FITSImage.read(
                        piece: $0, column: column, row: row, size: (image.width, height ?? image.height), into: target)
                }
            }
        }
        try read(sent)
        for (column, row) in [(1, 0), (0, 1), (-1, 0), (0, -1), (.max, 0)] {
            #expect(throws: ImageError.self) { try read(sent, column: column, row: row) }
        }
        #expect(throws: ImageError.self) { try read([]) }
        #expect(throws: ImageError.self) { try read(Array(sent.prefix(2880))) }
        #expect(throws: ImageError.self) { try read(Array(sent.dropLast(2880))) }
        // CFITSIO would read the rest of the last block, which is not there.
        #expect(throws: ImageError.self) { try read(Array(sent.dropLast())) }
        #expect(throws: ImageError.self) { try read(sent + [0]) }
        #expect(throws: ImageError.self) { try read([UInt8](repeating: 0x55, count: 5760)) }
    }

    @Test("a piece whose header announces more samples than it has is refused, not read past its end")
    func tooShort() throws {
        let cards =
            ["SIMPLE  =                    T", "BITPIX  =                  -64"]
            + [
                "NAXIS   =                    2", "NAXIS1  =                   30", "NAXIS2  =                   16",
                "END",
            ]
        let head = cards.map { $0.padding(toLength: 80, withPad: " ", startingAt: 0) }.joined()
        // The samples have 3840 bytes.
        for blocks in 0..<3 {
            let piece =
                Array(head.padding(toLength: 2880, withPad: " ", startingAt: 0).utf8)
                + [UInt8](repeating: 0, count: 2880 * blocks)
            var pixels = [Float](repeating: 0, count: 30 * 16)
            let read = {
                try pixels.withUnsafeMutableBufferPointer { target in
                    try piece.withUnsafeBytes {
                        try FITSImage.read(piece: $0, column: 0, row: 0, size: (30, 16), into: target)
                    }
                }
            }
            if blocks == 2 { try read() } else { #expect(throws: ImageError.self) { try read() } }
        }
    }

    @Test("a tile larger than its window is neither sent nor decompressed")
    func largeTile() throws {
        let path = folder.path("large.fits")
        var file: UnsafeMutablePointer<fitsfile>?
        var (status, axes, tile): (Int32, [Int], [Int]) = (0, [300, 300], [300, 300])
        ffinit(&file, path, &status)
        fits_set_compression_type(file, GZIP_1, &status)
        fits_set_tile_dim(file, 2, &tile, &status)
        ffcrim(file, SHORT_IMG, 2, &axes, &status)
        var samples = [Int16](repeating: 3, count: 90_000)
        ffppri(file, 1, 1, 90_000, &samples, &status)
        ffclos(file, &status)
        #expect(status == 0)
        let image = try FITSImage(path)
        let stored = try #require(try StoredSamples(image, in: image.stored.opened()))
        #expect(stored.piece(of: PixelRect(x: 0..<300, y: 0..<299)) == nil)
        let whole = try #require(stored.piece(of: PixelRect(x: 0..<300, y: 0..<300)))
        var bytes = [UInt8](repeating: 0, count: whole.byteCount)
        try bytes.withUnsafeMutableBytes { try stored.read(whole, into: $0) }
        var pixels = [Float](repeating: 0, count: 300)
        #expect(throws: ImageError.self) {
            try pixels.withUnsafeMutableBufferPointer { target in
                try bytes.withUnsafeBytes {
                    try FITSImage.read(piece: $0, column: 0, row: 0, size: (300, 1), into: target)
                }
            }
        }
    }

    @Test("real images", .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)))
    func realImages() throws {
        var paths = MidasFrames.paths
        if SkyData.isPresent {
            let names = try FileManager.default.contentsOfDirectory(atPath: SkyData.folder)
            paths += names.sorted().filter { $0.contains(".fits") }.map { "\(SkyData.folder)/\($0)" }
        }
        try check(paths)
    }

    private func check(_ paths: [String]) throws {
        var checked = 0
        for path in paths {
            let image = try FITSImage(path)
            guard let stored = try StoredSamples(image, in: image.stored.opened()) else { continue }
            let (w, h) = (image.width, image.height)
            for (rows, columns) in [(h / 3..<min(h, h / 3 + 130), 0..<w), (h / 2..<h / 2 + 1, w / 3..<w - w / 5)] {
                guard let pixels = try stored.pixels(rows: rows, columns: columns) else { continue }
                let expected = try image.pixels(rows: rows, columns: columns)
                #expect(pixels.map(\.bitPattern) == expected.map(\.bitPattern), "\(path), \(rows), \(columns)")
                checked += 1
            }
        }
        #expect(checked > paths.count)
    }
}
