import CSEP
import Foundation
import SkyTestSupport
import Testing

import SkyFITS

/// The process's elementary functions count their calls (Tests/CSEP/functions.c), those of CFITSIO's archive included.
@Suite("Reading of pixels") struct ElementaryOfReadingTests {
    @Test("of scaled integers and floats calls no elementary function", arguments: [8, 16, 32, 64, -32, -64])
    func scaled(bitpix: Int) throws {
        let width = 96
        let cards = [
            ("SIMPLE", "T"), ("BITPIX", "\(bitpix)"), ("NAXIS", "2"), ("NAXIS1", "\(width)"), ("NAXIS2", "1"),
            ("BSCALE", "0.3"), ("BZERO", "32768.7"),
        ]
        var bytes = StoredSamples.blocks(cards.map { StoredSamples.card($0.0, $0.1) })
        bytes += (0..<width * abs(bitpix) / 8).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        bytes += [UInt8](repeating: 0, count: (2880 - bytes.count % 2880) % 2880)
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("a.fits")))
        let before = csep_calls()
        _ = try pixels(folder.path("a.fits"))
        #expect(csep_calls() == before)
    }

    @Test("of compressed tiles calls none, but for HCOMPRESS, which asks for a tile's size as a power of 2")
    func tiles() throws {
        for file in CompressedFile.all {
            let folder = try TemporaryFolder()
            _ = try file.write(to: folder.path("a.fits"))
            let before = csep_calls()
            let own = try pixels(folder.path("a.fits"))
            #expect((csep_calls() == before) == !file.description.hasPrefix("HCOMPRESS"), "\(file)")
            csep_ask_c_library(true)
            let theirs = Result { try pixels(folder.path("a.fits")) }
            csep_ask_c_library(false)
            #expect(try own == theirs.get(), "\(file)")
        }
    }

    private func pixels(_ path: String) throws -> [Float] {
        let image = try FITSImage(path)
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<image.height, into: $0) }
        return pixels
    }
}
