import CFITSIO
import Foundation

import SkyFITS

extension FuzzTarget {
    /// The way of an image: opening, the other HDUs of its file, its pixels, the checksum of what is stored, and its coordinates.
    static let fits = FuzzTarget(name: "fits") { bytes in
        let path = scratchFile
        guard let file = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
        fwrite(bytes.baseAddress, 1, bytes.count, file)
        fclose(file)
        do {
            let image = try FITSImage(surveying: path)
            precondition(image.warnings.allSatisfy { !$0.isEmpty })
            _ = try image.stored.checksum()
            // Of an image that is large without many bytes, such as a compressed one, a part.
            let (rows, columns) = (0..<min(image.height, 100), 0..<min(image.width, 1000))
            var pixels = [Float](repeating: 0, count: rows.count * columns.count)
            try pixels.withUnsafeMutableBufferPointer { try image.read(rows: rows, columns: columns, into: $0) }
            let sky = try CelestialWCS(header: image.header)
            let (ra, dec) = sky.coordinates(x: [0, 10.5, -1e9], y: [0, 3, 1e9])
            precondition(ra.count == 3 && dec.count == 3 && ra.allSatisfy { $0.isNaN || (0...360).contains($0) })
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        let pixels = (0..<600).map { Float($0 % 37) - 3 }
        return [
            "float": try image(FLOAT_IMG, pixels), "short": try image(SHORT_IMG, pixels),
            // Its 1200 bytes of samples end the file.
            "unpadded": try image(SHORT_IMG, pixels).dropLast(1680),
            "rice": try image(SHORT_IMG, pixels, compression: RICE_1),
            "gzip": try image(FLOAT_IMG, pixels, compression: GZIP_1),
            "plio": try image(SHORT_IMG, pixels.map { max(0, $0) }, compression: PLIO_1),
            "hcompress": try image(SHORT_IMG, pixels, compression: HCOMPRESS_1),
        ]
    }

    /// The stored samples of the image in a file of these bytes.
    static func storedSamples(of file: [UInt8]) throws -> StoredSamples? {
        try Data(file).write(to: URL(filePath: scratchFile))
        let image = try FITSImage(scratchFile)
        return StoredSamples(image, in: try image.stored.opened())
    }

    private static let scratchFile = "/dev/shm/skyfarm-fuzz-\(getpid()).fits"

    /// A file with an image of 30 by 20 pixels and coordinates.
    private static func image(_ type: Int32, _ pixels: [Float], compression: Int32 = 0) throws -> [UInt8] {
        try? FileManager.default.removeItem(atPath: scratchFile)
        var (file, status): (UnsafeMutablePointer<fitsfile>?, Int32) = (nil, 0)
        var sides = [30, 20]
        var pixels = pixels
        var integers = pixels.map { Int16($0) }
        ffdkinit(&file, scratchFile, &status)
        if compression != 0 {
            fits_set_compression_type(file, compression, &status)
            fits_set_tile_dim(file, 2, &sides, &status)
        }
        ffcrim(file, type, 2, &sides, &status)
        for (key, value) in [("CTYPE1", "RA---TAN"), ("CTYPE2", "DEC--TAN")] {
            ffpkys(file, key, value, nil, &status)
        }
        let numbers = [
            ("CRVAL1", 10.5), ("CRVAL2", -20), ("CRPIX1", 15), ("CRPIX2", 10), ("CDELT1", -1e-4), ("CDELT2", 1e-4),
            ("EQUINOX", 2000),
        ]
        for (key, value) in numbers { ffpkyd(file, key, value, 10, nil, &status) }
        // CFITSIO compresses floats as floats only.
        if type == SHORT_IMG {
            ffppri(file, 1, 1, 600, &integers, &status)
        } else {
            ffppre(file, 1, 1, 600, &pixels, &status)
        }
        ffclos(file, &status)
        guard status == 0 else {
            throw ImageError(.unreadable, "CFITSIO writes no seed of compression \(compression): status \(status)")
        }
        return [UInt8](try Data(contentsOf: URL(filePath: scratchFile)))
    }
}
