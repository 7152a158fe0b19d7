import Foundation
import ScanBasics
import SkyFITS

/// FITS files in a folder of their own, removed with it.
final class SkyFile {
    let folder = NSTemporaryDirectory() + "skyscan-tests-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Writes an image of 32-bit floats; returns its path.
    func image(
        _ name: String = "sky.fits", width: Int, height: Int, header: [HeaderEntry] = [],
        _ pixel: (_ x: Int, _ y: Int) -> Float
    ) throws -> String {
        let writer = try FITSImageWriter(
            path: path(name), width: width, height: height, type: .float32, header: header, overwrite: true)
        for y in 0..<height { try writer.write(row: (0..<width).map { pixel($0, y) }) }
        try writer.finish()
        return path(name)
    }

    /// Writes an image of 16-bit integers; returns its path.
    func integers(_ name: String, width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> Int16) throws -> String {
        let writer = try FITSImageWriter(path: path(name), width: width, height: height, type: .int16, overwrite: true)
        for y in 0..<height { try writer.write(row: (0..<width).map { Float(pixel($0, y)) }) }
        try writer.finish()
        return path(name)
    }

    /// A noisy field with a source every 20 pixels, and a bar that every band of 64 rows cuts.
    func field(width: Int = 100, height: Int = 256) throws -> String {
        var generator = SplitMix64(seed: 3)
        return try image(width: width, height: height) { x, y in
            let noise = Float.random(in: 0..<4, using: &generator)
            let isSource = x % 20 < 4 && y % 20 < 4 || (x == 50 && (10..<240).contains(y))
            return noise + (isSource ? 300 : 0)
        }
    }
}
