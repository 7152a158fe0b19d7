import CFITSIO
import Foundation
import SkySynthetic

/// Images of one size, 16-bit integers, as files of their own or as the extensions of one file.
struct NightImages {
    var count: Int
    var width: Int
    var height: Int
    /// Whether the images are the extensions of one file.
    var isMosaic = false
    /// Whether the files are tile-compressed with Rice's algorithm, `.fits.fz`.
    var isCompressed = false

    /// Images with seeds of their own; the others are copies.
    private static let distinctCount = 8

    var name: String {
        let size = "\(width) x \(height)"
        return (isMosaic ? "mosaic of \(count) x \(size)" : "\(count) of \(size)") + (isCompressed ? ", Rice" : "")
    }

    /// A folder for the catalogues of a run. It is removed with the images: ext4 is slow in making files for some seconds
    /// after many were removed.
    static func newCatalogueFolder(in folder: URL) throws -> URL {
        let new = folder.appending(path: "catalogues").appending(path: UUID().uuidString)
        try new.makeEmptyFolder()
        return new
    }

    /// Writes the files into `folder`, in place of those that are there.
    /// - Returns: the files.
    func write(to folder: URL) throws -> [URL] {
        let skies = folder.appending(path: "skies")
        let images = folder.appending(path: "images")
        for folder in [folder.appending(path: "catalogues"), skies, images] { try folder.makeEmptyFolder() }
        defer { try? FileManager.default.removeItem(at: skies) }
        let distinct = try (1...min(count, Self.distinctCount)).map { seed in
            let parameters = SyntheticSky.Parameters(width: width, height: height, seed: UInt64(seed))
            let plain = skies.appending(path: "sky-\(seed).fits")
            try SyntheticSky(parameters).write(to: plain.path, type: .uint16)
            return isCompressed && !isMosaic ? try Self.compress(plain) : plain
        }
        if isMosaic {
            let mosaic = (isCompressed ? skies : images).appending(path: "mosaic.fits")
            try Self.join((0..<count).map { distinct[$0 % distinct.count] }, in: mosaic)
            guard isCompressed else { return [mosaic] }
            let file = images.appending(path: "mosaic.fits.fz")
            try FileManager.default.moveItem(at: try Self.compress(mosaic), to: file)
            return [file]
        }
        return try (0..<count).map { index in
            let name = String(format: "image-%05d.fits", index) + (isCompressed ? ".fz" : "")
            let file = images.appending(path: name)
            try FileManager.default.copyItem(at: distinct[index % distinct.count], to: file)
            return file
        }
    }

    /// Makes a file whose extensions are the images of `files`.
    private static func join(_ files: [URL], in mosaic: URL) throws {
        try CFITSIOFile.make(mosaic) { output, status in
            var axes = [0]
            ffcrim(output, BYTE_IMG, 0, &axes, &status)
            for (index, file) in files.enumerated() {
                try CFITSIOFile.read(file, &status) { input, status in
                    ffcopy(input, output, 0, &status)
                    ffukys(output, "EXTNAME", "CCD\(index + 1)", nil, &status)
                }
            }
        }
    }

    /// Compresses all images of a file, as `fpack -r` does.
    /// - Returns: the compressed file, beside the other.
    private static func compress(_ file: URL) throws -> URL {
        let compressed = file.appendingPathExtension("fz")
        try CFITSIOFile.make(compressed) { output, status in
            fits_set_compression_type(output, RICE_1, &status)
            try CFITSIOFile.read(file, &status) { input, status in
                var (count, axes) = (Int32(0), Int32(0))
                ffthdu(input, &count, &status)
                for number in 1...max(1, count) where status == 0 {
                    ffmahd(input, number, nil, &status)
                    ffgidm(input, &axes, &status)
                    if axes > 0 {
                        fits_img_compress(input, output, &status)
                    } else {
                        // CFITSIO crashes if it is to compress an image without pixels.
                        ffcopy(input, output, 0, &status)
                    }
                }
            }
        }
        return compressed
    }
}

/// Files as CFITSIO opens them.
private enum CFITSIOFile {
    typealias Handle = UnsafeMutablePointer<fitsfile>

    static func make(_ file: URL, _ body: (Handle?, inout Int32) throws -> Void) throws {
        var (handle, status) = (Handle?.none, Int32(0))
        ffinit(&handle, file.path, &status)
        try body(handle, &status)
        ffclos(handle, &status)
        guard status == 0 else { throw BenchmarkError("\(file.path): CFITSIO's status is \(status)") }
    }

    static func read(_ file: URL, _ status: inout Int32, _ body: (Handle?, inout Int32) throws -> Void) throws {
        var handle: Handle?
        ffopen(&handle, file.path, READONLY, &status)
        guard status == 0 else { throw BenchmarkError("\(file.path): CFITSIO's status is \(status)") }
        try body(handle, &status)
        ffclos(handle, &status)
    }
}

extension URL {
    /// Makes the folder, without anything in it.
    func makeEmptyFolder() throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(at: self) }
        try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true)
    }
}
