import Foundation
import SkySynthetic

/// A synthetic image, generated once and kept in the temporary folder.
enum BenchmarkImage {
    /// The image of `size` by `size` pixels, and the folder for catalogues.
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
