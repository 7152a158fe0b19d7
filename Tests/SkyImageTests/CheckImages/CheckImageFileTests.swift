import Foundation
import SkyTestSupport
import Testing

import ScanBasics
import SkyFITS
import SkyMeasurement

@Suite("files of check images")
struct CheckImageFileTests {
    let folder: TemporaryFolder
    private let header = FITSHeader(cards: [
        "SIMPLE  =                    T", "BITPIX  =                   16", "NAXIS   =                    2",
        "NAXIS1  =                   64", "NAXIS2  =                   64", "BZERO   =              32768.0",
        "BLANK   =                    7", "DATAMAX =                  9.0", "BUNIT   = 'adu     '",
        "CHECKSUM= 'abcdefghijklmnop'", "CRPIX1  =                 32.5", "CRPIX2  =                 16.5",
        "CDELT1  =               -0.001", "CDELT2  =                0.001", "CTYPE1  = 'RA---TAN'",
        "OBJECT  = 'M 31'               / Target", "COMMENT kept", "HIERARCH ESO DET NAME = 'x'",
    ])

    init() throws { folder = try TemporaryFolder() }

    /// Writes two images, and reads them again.
    private func images(_ image: CheckImage, _ name: String, _ samples: [Float]) throws -> [FITSImage] {
        let file = try CheckImageFile(image, path: folder.path(name), isOnly: false, overwrite: false)
        for _ in 0..<2 {
            try file.begin(width: 5, height: samples.count / 5, header: header)
            for start in stride(from: 0, to: samples.count, by: 5) {
                let row = samples[start..<start + 5]
                if image == .segmentation { try file.write(row.map { Int32($0) }) } else { try file.write(Array(row)) }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path(name)))
        try file.finish()
        return try (1...2).map { try FITSImage("\(folder.path(name))[\($0)]") }
    }

    @Test("samples are kept to the last bit, also in compressed tiles", arguments: ["a.fits", "a.fits.fz"])
    func samples(name: String) throws {
        let special: [Float] = [1.5, -0.0, .nan, 3e38, .leastNonzeroMagnitude]
        let thirds: [Float] = (0..<45).map { Float($0) / 3 }
        let floats = special + thirds
        let numbers = (0..<50).map { Float($0 % 7 == 0 ? 70_000 + $0 : 0) }
        for (image, samples) in [(CheckImage.filtered, floats), (.segmentation, numbers)] {
            for read in try images(image, "\(image.rawValue).\(name)", samples) {
                #expect((read.width, read.height) == (5, 10) && read.isTileCompressed == name.hasSuffix(".fz"))
                #expect(read.bitpix == (image == .segmentation ? 32 : -32))
                #expect(try read.pixels().map(\.bitPattern) == samples.map(\.bitPattern))
            }
        }
    }

    @Test("cards of the image are kept, but for those about its samples")
    func cards() throws {
        let back = try images(.background, "back.fits", Array(repeating: 1, count: 50))[0].header
        let cards = (0..<back.count).map { back[$0] }
        for kept in ["BUNIT   = 'adu     '", "CTYPE1  = 'RA---TAN'", "COMMENT kept", "HIERARCH ESO DET NAME = 'x'"] {
            #expect(cards.contains(kept))
        }
        #expect(cards.contains("OBJECT  = 'M 31'               / Target") && back.number("CRPIX1") == 32.5)
        #expect(!cards.contains { ["BZERO", "BLANK", "DATAM", "CHECK"].contains($0.prefix(5)) })
        let numbers = try images(.segmentation, "numbers.fits", Array(repeating: 1, count: 50))[0].header
        #expect(!(0..<numbers.count).contains { numbers[$0].hasPrefix("BUNIT") })
    }

    @Test("coordinates of an image of meshes are those of its larger pixels, and a single image is the primary one")
    func meshes() throws {
        let file = try CheckImageFile(.meshes, path: folder.path("mini.fits"), isOnly: true, overwrite: false)
        try file.begin(width: 2, height: 4, header: header, scale: (32, 16))
        try file.write([Float](repeating: 2, count: 8))
        try file.finish()
        let image = try FITSImage(folder.path("mini.fits"))
        #expect(image.hduNumber == 0 && (image.width, image.height) == (2, 4))
        #expect(image.header.number("CRPIX1") == 1.5 && image.header.number("CRPIX2") == 1.5)
        #expect(image.header.number("CDELT1") == -0.032 && image.header.number("CDELT2") == 0.016)
    }

    @Test("a file that is not finished leaves nothing, and one that exists is kept")
    func unfinished() throws {
        let path = folder.path("x.fits")
        var file: CheckImageFile? = try CheckImageFile(.filtered, path: path, isOnly: true, overwrite: false)
        try file?.begin(width: 5, height: 2, header: header)
        file = nil
        #expect(folder.names.isEmpty)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: OutputError.self) {
            try CheckImageFile(.filtered, path: path, isOnly: true, overwrite: false)
        }
        #expect(error?.code == .exists)
    }
}
