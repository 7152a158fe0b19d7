import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite(.enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct FITSImageAstropyTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("astropy_pixels.py").path

    @Test(
        "pixels of real images equal astropy's to the bit",
        .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)), arguments: RealImages.all)
    func realImages(image: RealImage) throws {
        try compare(image.path, image.hdu)
        if let weights = image.weights { try compare(weights, 0) }
    }

    @Test("pixels of every compression equal astropy's to the bit")
    func compressed() throws {
        let folder = try TemporaryFolder()
        let made = try AstropyPython.run([Self.script, "make", folder.path]).split(separator: "\n")
        #expect(made.count == 18)
        for line in made {
            let parts = line.split(separator: " ")
            try compare(folder.path(String(parts[0])), try #require(Int(parts[1])))
        }
    }

    private func compare(_ path: String, _ hdu: Int) throws {
        let folder = try TemporaryFolder()
        _ = try AstropyPython.run([Self.script, "read", path, "\(hdu)", folder.path("pixels")])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("pixels")))
        let wanted = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let image = try FITSImage(path)
        #expect(image.hduNumber == hdu)
        let pixels = try image.pixels()
        try #require(pixels.count == wanted.count)
        #expect(areSame(pixels[...], wanted[...]), "\(path)")
        let window = (rows: image.height / 3..<image.height / 2, columns: image.width / 4..<image.width / 2)
        let part = try image.pixels(rows: window.rows, columns: window.columns)
        for (index, row) in window.rows.enumerated() {
            let start = row * image.width
            let same = areSame(
                part[index * window.columns.count..<(index + 1) * window.columns.count],
                pixels[start + window.columns.lowerBound..<start + window.columns.upperBound])
            #expect(same, "row \(row) of a window of \(path)")
        }
    }

    /// Whether all bits are equal; NaN may have any.
    private func areSame(_ some: ArraySlice<Float>, _ others: ArraySlice<Float>) -> Bool {
        let bytes = { (pixels: ArraySlice<Float>) in pixels.withUnsafeBytes { Data($0) } }
        return bytes(some) == bytes(others)
            || some.elementsEqual(others) { $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN }
    }

    @Test("a damaged tile is an error when it is read")
    func damagedTile() throws {
        let folder = try TemporaryFolder()
        _ = try AstropyPython.run([Self.script, "make", folder.path])
        let path = folder.path("RICE_1.i32.fits.fz")
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // The heap of compressed tiles is the end of the file.
        for index in bytes.count - 8000..<bytes.count - 4000 { bytes[index] = 0x55 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let image = try FITSImage(path)
        expect(.corrupt, "cannot be read") { try image.pixels() }
    }

    @Test("every combination of sample type, compression, tiles and quantisation is read as it was written, or refused")
    func combinations() throws {
        let folder = try TemporaryFolder()
        let made = try AstropyPython.run([Self.script, "combine", folder.path]).split(separator: "\n")
        #expect(made.count > 150)
        for name in made {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("\(name).pixels")))
            let wanted = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            let path = folder.path(String(name))
            guard !name.contains(".i8.") else {
                expect(.corrupt, "64-bit integers in compressed tiles") { try FITSImage(path) }
                continue
            }
            let image = try FITSImage(path)
            #expect(areSame(try image.pixels()[...], wanted[...]), "\(name)")
            // As a node reads them.
            let stored = try #require(try StoredSamples(image, in: image.stored.opened()))
            let (rows, columns) = (5..<29, 3..<40)
            let part = try #require(try stored.pixels(rows: rows, columns: columns), "\(name)")
            let expected = rows.flatMap { row in columns.map { wanted[row * image.width + $0] } }
            #expect(areSame(part[...], expected[...]), "\(name), as a piece")
        }
    }
}
