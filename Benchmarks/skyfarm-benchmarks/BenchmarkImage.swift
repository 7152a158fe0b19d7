import Foundation
import SkyImage

/// A synthetic image of known size, made once and kept in the temporary folder.
enum BenchmarkImage {
    /// The image of `size` by `size` pixels; also the folder that the catalogues go to.
    static func prepare(size: Int) throws -> (image: URL, folder: URL) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let image = folder.appending(path: "sky-\(size).fits")
        if !FileManager.default.fileExists(atPath: image.path) { try write(size: size, to: image) }
        return (image, folder)
    }

    private static func write(size: Int, to file: URL) throws {
        let sky = SyntheticSky(SyntheticSky.Parameters(width: size, height: size))
        let writer = try FITSImageWriter(
            path: file.path, width: size, height: size, type: .float32, header: sky.header)
        try sky.forEachStrip(height: 64) { _, samples in
            for start in stride(from: samples.startIndex, to: samples.endIndex, by: size) {
                try writer.write(row: samples[start..<start + size])
            }
        }
        try writer.finish()
    }
}
