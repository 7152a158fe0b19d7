import Foundation
import SkyTestSupport
import Testing

import SkyCatalogue
import SkyFITS

@Suite("files that are compressed as a whole")
struct DecompressedFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Two images, the second with the samples 0 to 599.
    private static let file =
        RawFITS() + RawFITS.image(bitpix: 8, axes: [30, 2]) + [UInt8](repeating: 3, count: 60)
        + RawFITS.image(bitpix: 16, axes: [30, 20], primary: false) + RawFITS.bytes((0..<600).map { Int16($0) })

    private static func gzip(_ bytes: some Collection<UInt8>) throws -> [UInt8] {
        var compressed: [UInt8] = []
        let stream = try GzipStream(name: "test") { compressed += $0 }
        try stream.write(Array(bytes))
        try stream.finish()
        return compressed
    }

    private func pixels(_ bytes: [UInt8], _ name: String = "a.fits.gz") throws -> [Float] {
        try FITSImage("\(folder.write(bytes, name))[1]").pixels()
    }

    private static let samples = (0..<600).map { Float($0) }

    @Test("several members are one file, wherever it is cut", arguments: [1, 80, 2879, 2880, 5760, 5761, 9000])
    func members(cut: Int) throws {
        let bytes = Self.file.bytes
        let members = try Self.gzip(bytes.prefix(cut)) + Self.gzip([]) + Self.gzip(bytes.dropFirst(cut))
        #expect(try pixels(members) == Self.samples)
        // Tapes fill their last block with zeros.
        #expect(try pixels(members + [UInt8](repeating: 0, count: 1000)) == Self.samples)
    }

    @Test("a header of more pixels than this machine has memory for is refused before they are decompressed")
    func bomb() throws {
        // 10^12 pixels.
        let start = (RawFITS() + RawFITS.image(bitpix: 8, axes: [1_000_000, 1_000_000])).bytes
        let compressed = try Self.gzip(start + [UInt8](repeating: 0, count: 64 << 20))
        let path = try folder.write(compressed, "b.fits.gz")
        // Truncated, if it were read to its end.
        #expect { try DecompressedFile(path: path, .gzip) } throws: { ($0 as? ImageError)?.code == .tooLarge }
    }

    @Test("what follows the last HDU is not decompressed, and mentioned")
    func tail() throws {
        let tail = [UInt8](repeating: 0, count: 8 << 20)
        let compressed = try Self.gzip(Self.file.bytes + tail)
        let path = try folder.write(compressed, "t.fits.gz")
        #expect(try DecompressedFile(path: path, .gzip).byteCount == Self.file.bytes.count + 2880)
        let image = try FITSImage(surveying: path)
        #expect(image.survey?.images.count == 2)
        #expect(image.warnings.contains { $0.contains("ignored the bytes after HDU 1, which are not FITS") })
        // Not even if they are damaged.
        #expect(try pixels(Array(compressed.dropLast(100))) == Self.samples)
    }

    @Test("a cut file is truncated, a damaged one is damaged, another kind is no FITS file")
    func faults() throws {
        let compressed = try Self.gzip(Self.file.bytes)
        for length in [2, 12, compressed.count / 2, compressed.count - 1] {
            expect(.truncated, "truncated") { try pixels(Array(compressed.prefix(length))) }
        }
        var damaged = compressed
        damaged[compressed.count - 6] ^= 1
        expect(.corrupt, "damaged") { try pixels(damaged) }
        expect(.notFITS, "not a FITS file") { try pixels(Self.gzip([UInt8](repeating: 0, count: 50_000))) }
        let short = try Self.gzip(Self.file.bytes.dropLast(2000))
        expect(.truncated, "truncated: HDU 1") { try pixels(short) }
    }

    @Test("a header that does not end is refused after a part of the file", arguments: [true, false])
    func endless(isCompressed: Bool) throws {
        let start = Self.file.bytes.prefix(400)
        let bytes = start + [UInt8](repeating: UInt8(ascii: " "), count: 16 << 20)
        let path = try folder.write(isCompressed ? Self.gzip(bytes) : Array(bytes), "e.fits")
        expect(.truncated, "truncated") { try FITSImage(path) }
    }

    /// Each part as a stream of bzip2, by Python's own module.
    private func bzip2(_ parts: [some Collection<UInt8>]) throws -> [UInt8] {
        let names = try parts.enumerated().map { try folder.write(Array($1), "part\($0)") }
        let script = """
            import bz2, sys
            for path in sys.argv[2:]: open(sys.argv[1], "ab").write(bz2.compress(open(path, "rb").read()))
            """
        let target = try folder.write([UInt8](), "all.bz2")
        _ = try AstropyPython.run(["-c", script, target] + names)
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: target)))
    }

    @Test(
        "several streams of bzip2 are one file, and a cut one says so",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func bzip2() throws {
        let bytes = Self.file.bytes
        let streams = try bzip2([bytes.prefix(2880), [], bytes[2880..<5761], bytes.dropFirst(5761)])
        #expect(try pixels(streams, "a.fits.bz2") == Self.samples)
        // Tapes fill their last block with zeros, and bzip2 ignores bytes that are no stream.
        #expect(try pixels(streams + [UInt8](repeating: 0, count: 1000), "a.fits.bz2") == Self.samples)
        #expect(try pixels(streams + Array("Bother".utf8), "a.fits.bz2") == Self.samples)
        let whole = try bzip2([bytes])
        #expect(try pixels(whole, "a.fits.bz2") == Self.samples)
        for length in [10, whole.count / 2, whole.count - 1] {
            expect(.truncated, "truncated: its compressed bytes end too early") {
                try pixels(Array(whole.prefix(length)), "a.fits.bz2")
            }
        }
        var damaged = whole
        damaged[whole.count / 2] ^= 1
        expect(.corrupt, "the compressed file is damaged") { try pixels(damaged, "a.fits.bz2") }
    }

    @Test("a file that ends within an extension's header is truncated", arguments: [true, false])
    func cutHeader(isCompressed: Bool) throws {
        let start = Self.file.bytes.prefix(2880 + 2880 + 400)
        let path = try folder.write(isCompressed ? Self.gzip(start) : Array(start), "c.fits")
        expect(.truncated, "the header of HDU 1 does not end") { try FITSImage("\(path)[1]") }
        #expect(try FITSSurvey(of: path).truncation?.contains("the header of HDU 1 does not end") == true)
    }
}
