import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite("Images of a file whose layout is known") struct FITSLayoutTests {
    let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write(Self.mosaic(first: 1).bytes, "m.fits")
    }

    /// Four images whose samples are their number, counted from `first`.
    private static func mosaic(first: Int16) -> RawFITS {
        (first..<first + 4).reduce(RawFITS() + RawFITS.image(bitpix: 8, axes: [])) { file, number in
            let cards = RawFITS.image(bitpix: 16, axes: [30, 20], primary: false, extra: ["EXTNAME = 'CCD\(number)'"])
            return file + cards + RawFITS.bytes([Int16](repeating: number, count: 600))
        }
    }

    private func sample(_ selector: String, _ layout: FITSLayout?) throws -> Float {
        try FITSImage(path + selector, layout: layout).pixels()[0]
    }

    /// Writes `bytes` at `offset` without a trace in the file's times.
    private func damage(_ bytes: String, at offset: UInt64) throws {
        var status = stat()
        try #require(stat(path, &status) == 0)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes.utf8))
        try file.close()
        #if canImport(Darwin)
            let times = [status.st_atimespec, status.st_mtimespec]
        #else
            let times = [status.st_atim, status.st_mtim]
        #endif
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    @Test("are found by number and by name, without reading the headers before them")
    func found() throws {
        let layout = try #require(try FITSSurvey(of: path).layout)
        for number in 1...4 {
            #expect(try sample("[\(number)]", layout) == Float(number))
            #expect(try sample("[CCD\(number)]", layout) == Float(number))
        }
        #expect(throws: ImageError.self) { try sample("[5]", layout) }
        // XTENSION of HDU 2.
        try damage("DAMAGED!", at: 2880 + 2 * 2880)
        #expect(try sample("[4]", layout) == 4)
        #expect(throws: ImageError.self) { try sample("[4]", nil) }
    }

    @Test("are looked for in order if the file has been replaced or written since")
    func replaced() throws {
        let layout = try #require(try FITSSurvey(of: path).layout)
        try Data(Self.mosaic(first: 10).bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        #expect(!layout.isValid(for: path))
        #expect(try sample("[3]", layout) == 12)
        try FileManager.default.removeItem(atPath: path)
        #expect(!layout.isValid(for: path))
    }

    @Test("are checked themselves before CFITSIO reads their header")
    func damaged() throws {
        let layout = try #require(try FITSSurvey(of: path).layout)
        // A card of HDU 3 that makes CFITSIO divide by zero.
        let card = "ZTILE1  =                    0".padding(toLength: 80, withPad: " ", startingAt: 0)
        try damage(card, at: 2880 + 2 * 2 * 2880 + 7 * 80)
        let error = #expect(throws: ImageError.self) { try sample("[3]", layout) }
        #expect(error?.message.contains("HDU 3 has tiles or blocks without pixels") == true, "\(error?.message ?? "")")
    }
}
