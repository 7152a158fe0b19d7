import Foundation
import SkyImage

/// A synthetic image of known size, made once and kept in the temporary folder.
enum BenchmarkImage {
    /// The image of `size` by `size` pixels; also the folder that the catalogues go to.
    static func prepare(size: Int) throws -> (image: URL, folder: URL) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let image = folder.appending(path: "sky-\(size).fits")
        if !FileManager.default.fileExists(atPath: image.path) {
            try SyntheticSky(SyntheticSky.Parameters(width: size, height: size)).write(to: image.path)
        }
        return (image, folder)
    }
}
