import Foundation
import SkyTestSupport
import Testing

import ScanBasics
import SkyFITS

struct FITSImageWriterTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("what is written is read back", arguments: [(3, 2), (720, 1), (1000, 31)])
    func roundTrip(width: Int, height: Int) throws {
        for type in [FITSImageWriter.SampleType.float32, .int16, .uint16] {
            let path = folder.path("\(type.rawValue).fits")
            let entries = [HeaderEntry("GAIN", .real(1.7), comment: "e-/adu"), HeaderEntry("OBJECT", .text("it's"))]
            let writer = try FITSImageWriter(
                path: path, width: width, height: height, type: type, header: entries, history: ["made by a test"])
            for row in 0..<height { try writer.write(row: (0..<width).map { Float((row * width + $0) % 30_000) }) }
            #expect(!FileManager.default.fileExists(atPath: path))
            try writer.finish()
            let image = try FITSImage(path)
            #expect((image.width, image.height) == (width, height))
            #expect(try image.pixels() == (0..<width * height).map { Float($0 % 30_000) })
            let cards = (0..<image.header.count).map { image.header[$0] }
            #expect(cards.contains { $0.hasPrefix("GAIN") && $0.contains("1.7 / e-/adu") })
            #expect(cards.contains { $0.hasPrefix("OBJECT  = 'it''s") })
            #expect(cards.contains("HISTORY made by a test"))
        }
    }

    @Test("integers are rounded and cut to the range of their type")
    func rounding() throws {
        let samples: [Float] = [-1e9, -0.6, 0.4, 1.6, 65_535.4, 1e9, .nan, .infinity]
        let wanted: [FITSImageWriter.SampleType: [Float]] = [
            .int16: [-32768, -1, 0, 2, 32767, 32767, 0, 32767], .uint16: [0, 0, 0, 2, 65535, 65535, 0, 65535],
        ]
        for (type, values) in wanted {
            let path = folder.path("\(type.rawValue).fits")
            let writer = try FITSImageWriter(path: path, width: samples.count, height: 1, type: type)
            try writer.write(row: samples)
            try writer.finish()
            #expect(try FITSImage(path).pixels() == values)
        }
    }

    @Test("floats keep every bit, NaN and infinity included")
    func floats() throws {
        let samples: [Float] = [.nan, -.infinity, .leastNonzeroMagnitude, -0.0, 1.2345678]
        let writer = try FITSImageWriter(path: folder.path("x.fits"), width: 5, height: 1, type: .float32)
        try writer.write(row: samples)
        try writer.finish()
        let pixels = try FITSImage(folder.path("x.fits")).pixels()
        #expect(pixels[0].isNaN)
        #expect(pixels.dropFirst().map(\.bitPattern) == samples.dropFirst().map(\.bitPattern))
    }

    @Test("a deallocated writer leaves no file")
    func abandoned() throws {
        do {
            let writer = try FITSImageWriter(path: folder.path("x.fits"), width: 5, height: 2, type: .float32)
            try writer.write(row: [1, 2, 3, 4, 5])
        }
        #expect(folder.names.isEmpty)
    }

    @Test("an existing file is replaced only on request")
    func existing() throws {
        let path = try folder.write([1], "x.fits")
        #expect(throws: OutputError.self) { try FITSImageWriter(path: path, width: 1, height: 1, type: .int16) }
        let writer = try FITSImageWriter(path: path, width: 1, height: 1, type: .int16, overwrite: true)
        try writer.write(row: [3])
        try writer.finish()
        #expect(try FITSImage(path).pixels() == [3])
    }
}
