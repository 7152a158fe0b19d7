import Foundation
import SkyFITS

/// A temporary folder for one test, removed with the object.
final class Folder: Sendable {
    private let root = NSTemporaryDirectory() + "skyscan-tests-\(UUID().uuidString)/"

    init() throws { try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Writes an image of single precision, and returns its path.
    func write(_ name: String, width: Int, _ pixels: [Float]) throws -> String {
        let file = try FITSImageWriter(
            path: root + name, width: width, height: pixels.count / width, type: .float32, overwrite: true)
        for start in stride(from: 0, to: pixels.count, by: width) {
            try file.write(row: pixels[start..<start + width])
        }
        try file.finish()
        return root + name
    }
}
