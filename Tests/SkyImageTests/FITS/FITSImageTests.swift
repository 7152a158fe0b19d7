import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyFITS

extension FITSImage {
    /// All pixels, for tests.
    func pixels(rows: Range<Int>? = nil, columns: Range<Int>? = nil) throws -> [Float] {
        let (rows, columns) = (rows ?? 0..<height, columns ?? 0..<width)
        var pixels = [Float](repeating: -7, count: rows.count * columns.count)
        try pixels.withUnsafeMutableBufferPointer { try read(rows: rows, columns: columns, into: $0) }
        return pixels
    }
}

/// Bytes of a small FITS file, built without any library.
struct RawFITS {
    var bytes: [UInt8] = []

    static func + (file: RawFITS, cards: [String]) -> RawFITS {
        var file = file
        file.bytes += FITSHeader(cards: cards).bytes
        file.pad(with: UInt8(ascii: " "))
        return file
    }

    static func + (file: RawFITS, data: [UInt8]) -> RawFITS {
        var file = file
        file.bytes += data
        file.pad(with: 0)
        return file
    }

    private mutating func pad(with filler: UInt8) {
        bytes += [UInt8](repeating: filler, count: (2880 - bytes.count % 2880) % 2880)
    }

    static func card(_ key: String, _ value: String) -> String {
        key.padding(toLength: 8, withPad: " ", startingAt: 0) + "= "
            + String(repeating: " ", count: max(0, 20 - value.count)) + value
    }

    static func image(bitpix: Int, axes: [Int], primary: Bool = true, extra: [String] = []) -> [String] {
        var cards = [primary ? card("SIMPLE", "T") : "XTENSION= 'IMAGE   '", card("BITPIX", "\(bitpix)")]
        cards.append(card("NAXIS", "\(axes.count)"))
        cards += axes.enumerated().map { card("NAXIS\($0 + 1)", "\($1)") }
        if !primary { cards += [card("PCOUNT", "0"), card("GCOUNT", "1")] }
        return cards + extra
    }

    static func bytes(_ values: [some FixedWidthInteger]) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    }

    static let table = [
        "XTENSION= 'BINTABLE'", card("BITPIX", "8"), card("NAXIS", "2"), card("NAXIS1", "4"), card("NAXIS2", "3"),
        card("PCOUNT", "0"), card("GCOUNT", "1"), card("TFIELDS", "1"), "TFORM1  = '1J      '",
    ]
}

struct FITSImageTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ file: RawFITS, _ selector: String = "") throws -> FITSImage {
        try FITSImage(folder.write(file.bytes, "image.fits") + selector)
    }

    @Test("samples of every stored type become floats")
    func sampleTypes() throws {
        func read(_ bitpix: Int, _ data: [UInt8], _ extra: [String] = []) throws -> [Float] {
            let image = try open(RawFITS() + RawFITS.image(bitpix: bitpix, axes: [3, 1], extra: extra) + data)
            #expect(image.bitpix == bitpix)
            return try image.pixels()
        }
        #expect(try read(8, [0, 127, 255]) == [0, 127, 255])
        #expect(try read(8, [0, 127, 255], [RawFITS.card("BZERO", "-128")]) == [-128, -1, 127])
        #expect(try read(16, RawFITS.bytes([Int16.min, -1, .max])) == [-32768, -1, 32767])
        #expect(
            try read(16, RawFITS.bytes([Int16.min, 0, .max]), [RawFITS.card("BZERO", "32768")]) == [0, 32768, 65535])
        #expect(try read(32, RawFITS.bytes([Int32.min, -1, 77])) == [-2_147_483_648, -1, 77])
        #expect(
            try read(32, RawFITS.bytes([Int32.min, 0, 5]), [RawFITS.card("BZERO", "2147483648")])
                == [0, 2_147_483_648, 2_147_483_648])
        #expect(try read(64, RawFITS.bytes([Int64.min, -1, 77])) == [-9.223_372e18, -1, 77])
        #expect(
            try read(-32, RawFITS.bytes([Float(1.5), -.infinity, .leastNonzeroMagnitude].map(\.bitPattern))) == [
                1.5, -.infinity, .leastNonzeroMagnitude,
            ])
        #expect(try read(-64, RawFITS.bytes([1.5, -2, 1e-3].map(\.bitPattern))) == [1.5, -2, 1e-3])
    }

    @Test("blank integers and NaN become NaN")
    func blanks() throws {
        let blank = [RawFITS.card("BLANK", "-5")]
        let scaled = blank + [RawFITS.card("BSCALE", "2.0"), RawFITS.card("BZERO", "100.0")]
        for (extra, wanted) in [(blank, [1, -4] as [Float]), (scaled, [102, 92])] {
            let data = RawFITS.bytes([Int16(1), -5, -4])
            let pixels = try open(RawFITS() + RawFITS.image(bitpix: 16, axes: [3, 1], extra: extra) + data).pixels()
            #expect(pixels[1].isNaN)
            #expect([pixels[0], pixels[2]] == wanted)
        }
        let floats = RawFITS.bytes([Float.nan, 2, 3].map(\.bitPattern))
        let pixels = try open(RawFITS() + RawFITS.image(bitpix: -32, axes: [3, 1]) + floats).pixels()
        #expect(pixels[0].isNaN && pixels[1] == 2 && pixels[2] == 3)
    }

    @Test("16-bit samples are scaled in single precision, as astropy does")
    func singlePrecisionScaling() throws {
        let extra = [RawFITS.card("BSCALE", "2.92273835509"), RawFITS.card("BZERO", "3713.66692596")]
        let samples: [Int16] = [-1234, 17, 32001]
        let image = try open(
            RawFITS() + RawFITS.image(bitpix: 16, axes: [3, 1], extra: extra) + RawFITS.bytes(samples))
        let wanted = samples.map { Float($0) * Float(2.92273835509) + Float(3713.66692596) }
        #expect(try image.pixels() == wanted)
    }

    @Test("windows of any shape hold the right pixels")
    func windows() throws {
        let (width, height) = (70, 50)
        let samples = (0..<Int32(width * height)).map { $0 }
        let image = try open(RawFITS() + RawFITS.image(bitpix: 32, axes: [width, height]) + RawFITS.bytes(samples))
        for (rows, columns) in [
            (0..<50, 0..<70), (3..<4, 0..<70), (10..<50, 0..<70), (0..<50, 69..<70), (7..<31, 5..<66),
        ] {
            let wanted = rows.flatMap { row in columns.map { Float(row * width + $0) } }
            #expect(try image.pixels(rows: rows, columns: columns) == wanted)
        }
        #expect(try image.pixels(rows: 5..<5).isEmpty)
        #expect(try image.pixels(rows: 50..<50).isEmpty)
    }

    @Test("floats are read bit by bit, whatever they mean, and whatever stands before them", arguments: [0, 3])
    func floats(parameters: Int) throws {
        // Two pieces of reading, of which the first ends within a row.
        let (width, height) = (1000, 601)
        var generator = SplitMix64(seed: 5)
        var bits = (0..<width * height).map { _ in UInt32.random(in: 0 ... .max, using: &generator) }
        // Infinite, -0, not a number of both kinds, and the smallest.
        bits.replaceSubrange(0..<5, with: [0x7f80_0000, 0x8000_0000, 0x7fc0_0001, 0xffa0_0001, 1])
        let cards = RawFITS.image(bitpix: -32, axes: [width, height], primary: false).map {
            $0.hasPrefix("PCOUNT") ? RawFITS.card("PCOUNT", "\(parameters)") : $0
        }
        let stored = [UInt32](repeating: 7, count: parameters) + bits
        let file = RawFITS() + RawFITS.image(bitpix: 8, axes: []) + cards + RawFITS.bytes(stored)
        let image = try open(file, "[1]")
        #expect(image.holdsPlainFloats == (parameters == 0))
        for (rows, columns) in [(0..<height, 0..<width), (17..<599, 0..<width), (2..<590, 999..<1000), (0..<9, 3..<70)]
        {
            let wanted = rows.flatMap { row in columns.map { bits[row * width + $0] } }
            #expect(try image.pixels(rows: rows, columns: columns).map(\.bitPattern) == wanted)
        }
    }

    @Test("a card that stands in the header twice is harmless", arguments: ["PCOUNT", "GCOUNT", "BSCALE"])
    func cardTwice(key: String) throws {
        let bits = (0..<6).map { Float($0).bitPattern }
        for value in ["0", "1", "2", "3", "-6", "-5"] {
            var cards = RawFITS.image(bitpix: -32, axes: [3, 2], primary: false)
            cards.append(RawFITS.card(key, value))
            let file = RawFITS() + RawFITS.image(bitpix: 8, axes: []) + cards + RawFITS.bytes(bits + bits)
            // CFITSIO decides its meaning; an error is acceptable, too.
            guard let image = try? open(file, "[1]") else { continue }
            let pixels = try? image.pixels()
            if image.holdsPlainFloats, image.scaling == nil { #expect(pixels == [0, 1, 2, 3, 4, 5]) }
        }
    }

    @Test("a file that was cut after it was opened cannot be read, however often", arguments: [100, 4000, 200_000])
    func cutFile(missing: Int) throws {
        // As a window that ends a little behind a whole MiB.
        let (width, height) = (1024, 257)
        let data = RawFITS.bytes([UInt32](repeating: 7, count: width * height))
        let path = try folder.write(
            (RawFITS() + RawFITS.image(bitpix: -32, axes: [width, height]) + data).bytes, "image.fits")
        let image = try FITSImage(path)
        #expect(image.holdsPlainFloats)
        #expect(truncate(path, off_t(2880 + data.count - missing)) == 0)
        for _ in 0..<3 {
            let error = #expect(throws: ImageError.self) { try image.pixels() }
            #expect(error?.code == .corrupt)
        }
    }

    @Test("scaled floats are scaled")
    func scaledFloats() throws {
        let extra = [RawFITS.card("BSCALE", "2.0"), RawFITS.card("BZERO", "-1.0")]
        let data = RawFITS.bytes([Float(1.5), -3, 0].map(\.bitPattern))
        let image = try open(RawFITS() + RawFITS.image(bitpix: -32, axes: [3, 1], extra: extra) + data)
        #expect(try image.pixels() == [2, -7, -1])
    }

    @Test("the first 2-D image is chosen by default; a selector chooses another")
    func selectors() throws {
        let named = { (name: String, version: Int) in
            ["EXTNAME = '\(name)'", RawFITS.card("EXTVER", "\(version)")]
        }
        let primary = RawFITS() + RawFITS.image(bitpix: 8, axes: [])
        let table = primary + RawFITS.table + [UInt8](repeating: 0, count: 12)
        let cube = table + RawFITS.image(bitpix: 8, axes: [2, 2, 2], primary: false) + [UInt8](repeating: 0, count: 8)
        let first =
            cube + RawFITS.image(bitpix: 8, axes: [3, 2], primary: false, extra: named("SCI", 1))
            + [1, 2, 3, 4, 5, 6]
        let second =
            first + RawFITS.image(bitpix: 8, axes: [2, 2], primary: false, extra: named("SCI", 2))
            + [7, 8, 9, 10]
        let file =
            second + RawFITS.image(bitpix: 8, axes: [4, 1, 1, 1], primary: false, extra: named("FLAT", 1))
            + [11, 12, 13, 14]
        let chosen = [
            ("", 3), ("[3]", 3), ("[4]", 4), ("[SCI]", 3), ("[sci,2]", 4), ("[SCI, 1]", 3), ("[ SCI ,\t2 ]", 4),
            ("[FLAT]", 5), ("[5]", 5),
        ]
        for (selector, number) in chosen { #expect(try open(file, selector).hduNumber == number) }
        #expect(try open(file, "[FLAT]").pixels() == [11, 12, 13, 14])
        #expect(try open(file, "[SCI,2]").pixels() == [7, 8, 9, 10])
        #expect(try open(file, "[SCI,2]").extensionName == "SCI")
        for selector in ["[0]", "[1]", "[2]"] { expect(.noImage, "choose another HDU") { try open(file, selector) } }
        for selector in ["[6]", "[999999999999]", "[SCI,3]", "[DARK]"] {
            expect(.noSuchHDU, "HDU 3 (SCI): 2-D image 3x2; HDU 4 (SCI,2): 2-D image 2x2") { try open(file, selector) }
        }
    }

    @Test(
        "what is no HDU selector is refused, not run",
        arguments: [
            "[1:2,1:2]", "[col x]x", "[1][bin x]", "[SCI,1,2]", "[SCI,x]", "[]", "[pixr1 x*2]", "[2;X(3)]", "[a=b]",
        ])
    func dangerousSyntax(selector: String) throws {
        let file = RawFITS() + RawFITS.image(bitpix: 8, axes: [3, 1]) + [1, 2, 3]
        let error = #expect(throws: ImageError.self) { try open(file, selector) }
        #expect([.invalidSelector, .missing].contains(error?.code))
    }

    @Test(
        "names that CFITSIO would fetch, expand or read elsewhere are plain names",
        arguments: [
            "http://localhost/x.fits", "ftp://localhost/x", "mem://x", "shmem://h1", "-", "stdin", "~/x.fits",
            "root://h/x",
        ])
    func specialNames(name: String) {
        expect(.missing, "no such file") { try FITSImage(name) }
    }

    @Test("a file whose name has brackets is opened by it")
    func bracketsInName() throws {
        let file = RawFITS() + RawFITS.image(bitpix: 8, axes: [3, 1]) + [1, 2, 3]
        let path = try folder.write(file.bytes, "a[1].fits[x]")
        #expect(try FITSImage(path).pixels() == [1, 2, 3])
        #expect(try FITSImage("\(path)[0]").pixels() == [1, 2, 3])
    }

    @Test("one file is open twice at a time, and read by two threads")
    func concurrentReaders() throws {
        let samples = (0..<Int32(40_000)).map { $0 }
        let file = RawFITS() + RawFITS.image(bitpix: 32, axes: [200, 200]) + RawFITS.bytes(samples)
        let path = try folder.write(file.bytes, "image.fits")
        let wanted = samples.map(Float.init)
        let results = ConcurrentResults()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            results.add((try? FITSImage(path).pixels()) == wanted)
        }
        #expect(results.all == [Bool](repeating: true, count: 16))
    }

    @Test("the checksum changes with a sample or a card of its HDU, and with nothing else")
    func checksum() throws {
        let build = { (card: String, sample: UInt8, other: UInt8) in
            RawFITS() + RawFITS.image(bitpix: 8, axes: [3, 1], extra: [RawFITS.card("GAIN", card)]) + [sample, 2, 3]
                + RawFITS.image(bitpix: 8, axes: [3, 1], primary: false) + [other, 2, 3]
        }
        let base = try open(build("1", 1, 1)).stored.checksum()
        #expect(try open(build("1", 1, 1)).stored.checksum() == base)
        #expect(try open(build("1", 1, 9)).stored.checksum() == base)
        #expect(try open(build("2", 1, 1)).stored.checksum() != base)
        #expect(try open(build("1", 2, 1)).stored.checksum() != base)
        #expect(try open(build("1", 1, 1), "[1]").stored.checksum() != base)
    }

    @Test("a cancelled checksum stops reading")
    func cancelledChecksum() throws {
        let samples = [UInt8](repeating: 7, count: 3 << 20)
        let image = try open(RawFITS() + RawFITS.image(bitpix: 8, axes: [1 << 10, 3 << 10]) + samples)
        var calls = 0
        #expect(throws: CancellationError.self) {
            _ = try image.stored.checksum {
                calls += 1
                if calls == 2 { throw CancellationError() }
            }
        }
        #expect(calls == 2)
    }
}

/// Results from several threads.
final class ConcurrentResults: @unchecked Sendable {
    // Sendable: the lock guards the only state.
    private let lock = NSLock()
    private var results: [Bool] = []
    var all: [Bool] { lock.withLock { results } }
    func add(_ result: Bool) { lock.withLock { results.append(result) } }
}

/// Expects an image error of this code, in one line that contains `words`.
func expect(
    _ code: ImageErrorCode, _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> some Any
) {
    let error = #expect(throws: ImageError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.message.contains(words) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.message.contains("\n") == false, sourceLocation: sourceLocation)
}
