import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyFITS

struct ImageErrorTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ bytes: [UInt8], _ name: String = "image.fits") throws -> FITSImage {
        try FITSImage(folder.write(bytes, name))
    }

    private let whole = RawFITS() + RawFITS.image(bitpix: 16, axes: [100, 100]) + [UInt8](repeating: 1, count: 20_000)

    @Test("a missing file")
    func missing() throws {
        expect(.missing, "no such file") { try FITSImage(folder.path("absent.fits")) }
        expect(.missing, "empty") { try FITSImage("") }
        let path = try folder.write(whole.bytes, "image.fits")
        expect(.missing, "no such file") { try FITSImage("\(path)/below.fits") }
        expect(.missing, "zero byte") { try FITSImage("\(path)\0.fits") }
    }

    @Test("a folder, a device")
    func notAFile() throws {
        expect(.isDirectory, "is a folder") { try FITSImage(folder.path) }
        expect(.unreadable, "no regular file") { try FITSImage("/dev/zero") }
        _ = try folder.write(whole.bytes, "x.fits")
        // A path with many “./”, which the system takes and CFITSIO does not.
        let long = folder.path + String(repeating: "/.", count: 600) + "/x.fits"
        expect(.unreadable, "longer") { try FITSImage(long) }
    }

    @Test("a file without permission", .enabled(if: Unprivileged.isPossible, "root may read everything"))
    func permission() throws {
        let path = try folder.write(whole.bytes, "image.fits")
        chmod(path, 0)
        expect(.unreadable, "permission denied") { try Unprivileged.run { try FITSImage(path) } }
    }

    @Test("an empty file")
    func empty() {
        expect(.empty, "is empty") { try open([]) }
    }

    @Test(
        "a file of another kind is called what it is",
        arguments: [
            ([0x89, 0x50, 0x4e, 0x47, 13, 10], "PNG"), ([0xff, 0xd8, 0xff, 0xe0], "JPEG"),
            (Array("x,y\n1,2\n".utf8), "text"),
            ([0x49, 0x49, 0x2a, 0, 8], "TIFF"), ([1, 2, 3, 0], "binary data"),
            (Array("<!DOCTYPE html>".utf8), "web page"),
            (Array("XTENSION= 'IMAGE'".utf8), "without its primary"),
        ])
    func otherKinds(bytes: [UInt8], words: String) {
        expect(.notFITS, words) { try open(bytes) }
    }

    @Test("a compressed file of another kind, and a damaged one")
    func compressed() throws {
        // Made by gzip from the text “hello”.
        let hello: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
        ]
        for bytes in [hello, Array(hello.prefix(12)), [0x1f, 0x8b]] {
            let error = #expect(throws: ImageError.self) { try open(bytes, "x.fits.gz") }
            #expect(error?.message.contains("x.fits.gz") == true)
            #expect(error?.message.contains("\n") == false)
        }
    }

    @Test(
        "a truncated file is refused when it is opened", arguments: [20, 80, 2879, 2880, 2881, 5000, 22_879])
    func truncated(length: Int) {
        expect(.truncated, "truncated") { try open(Array(whole.bytes.prefix(length))) }
    }

    @Test("a truncated extension is refused, the images before it are not")
    func truncatedExtension() throws {
        let file =
            whole + RawFITS.image(bitpix: 8, axes: [90, 90], primary: false) + [UInt8](repeating: 1, count: 8100)
        let path = try folder.write(Array(file.bytes.dropLast(6000)), "image.fits")
        #expect(try FITSImage(path).width == 100)
        expect(.truncated, "HDU 1: 2-D image 90x90") { try FITSImage("\(path)[1]") }
    }

    @Test("a file without a 2-D image says what it has")
    func noImage() {
        let cube = RawFITS() + RawFITS.image(bitpix: 8, axes: [10, 10, 3]) + [UInt8](repeating: 0, count: 300)
        let file = cube + RawFITS.table + [UInt8](repeating: 0, count: 12)
        expect(.noImage, "HDU 0: 3-D image 10x10x3; HDU 1: binary table") { try open(file.bytes) }
        expect(.noImage, "HDU 0: no data") { try open((RawFITS() + RawFITS.image(bitpix: 8, axes: [])).bytes) }
        expect(.noImage, "1-D image 9") {
            try open((RawFITS() + RawFITS.image(bitpix: 8, axes: [9]) + [UInt8](repeating: 0, count: 9)).bytes)
        }
        var many = RawFITS() + RawFITS.image(bitpix: 8, axes: [])
        for _ in 0..<20 { many = many + RawFITS.table + [UInt8](repeating: 0, count: 12) }
        expect(.noImage, "and 13 more") { try open(many.bytes) }
    }

    @Test(
        "sizes that cannot be are refused",
        arguments: [
            [4_000_000_000, 4_000_000_000], [3_037_000_500, 3_037_000_500], [9_223_372_036_854_775_807, 2],
            [2, 4_611_686_018_427_387_904],
            [-3, 5], [100_000, 100_000],
        ])
    func impossibleSizes(axes: [Int]) {
        let file = RawFITS() + RawFITS.image(bitpix: 16, axes: axes) + [UInt8](repeating: 0, count: 100)
        let error = #expect(throws: ImageError.self) { try open(file.bytes) }
        #expect([.tooLarge, .truncated, .corrupt, .noImage].contains(error?.code), "\(String(describing: error))")
    }

    @Test(
        "headers without sense are errors",
        arguments: [
            ["SIMPLE  = T", "BITPIX  = 17", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 3"],
            ["SIMPLE  = T", "NAXIS   = 2"], ["SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 1000"], ["SIMPLE  = x"],
        ])
    func nonsense(cards: [String]) {
        let error = #expect(throws: ImageError.self) { try open((RawFITS() + cards + [1, 2, 3]).bytes) }
        #expect(error?.message.contains("image.fits") == true)
    }

    @Test("random damage to a header never crashes", arguments: [UInt64(1), 2, 3, 4])
    func damagedHeaders(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<100 {
            var bytes = whole.bytes
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<480, using: &generator)] = UInt8.random(in: 32..<127, using: &generator)
            }
            guard let image = try? open(bytes) else { continue }
            #expect(image.width * image.height <= 20_000, "seed \(seed)")
            _ = try? image.pixels()
        }
    }
}
