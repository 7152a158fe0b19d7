import Foundation
import SkyTestSupport

import SkyFITS

/// source-extractor, with the settings of the benchmarks: the equivalent of a scan's defaults.
struct SourceExtractor {
    private static let settings = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Benchmarks/peers").standardized.path()

    /// A source, with 0-based coordinates.
    struct Source {
        var x: Double
        var y: Double
        var fluxAuto: Double
        var fluxErrAuto: Double
        var flags: Int
    }

    struct Failure: Error { var words: String }

    /// The catalogue of an image.
    static func catalogue(of image: TestImage) throws -> [Source] {
        let folder = try TemporaryFolder()
        let file = try FITSImageWriter(
            path: folder.path("sky.fits"), width: image.width, height: image.height, type: .float32)
        for start in stride(from: 0, to: image.pixels.count, by: image.width) {
            try file.write(row: image.pixels[start..<start + image.width])
        }
        try file.finish()
        let columns = "X_IMAGE\nY_IMAGE\nFLUX_AUTO\nFLUXERR_AUTO\nFLAGS\n"
        let result = try Subprocess.run(
            SourceExtractorProgram.path,
            [
                folder.path("sky.fits"), "-c", settings + "/source_extractor.sex", "-FILTER_NAME",
                settings + "/source_extractor.conv", "-PARAMETERS_NAME",
                try folder.write(Array(columns.utf8), "columns"), "-CATALOG_TYPE", "ASCII", "-CATALOG_NAME",
                folder.path("catalogue"),
            ])
        guard result.status == 0 else { throw Failure(words: result.errors) }
        return try String(contentsOfFile: folder.path("catalogue"), encoding: .utf8).split(separator: "\n").map {
            let values = $0.split(separator: " ").compactMap { Double($0) }
            guard values.count == 5 else { throw Failure(words: "no row of a catalogue: \($0)") }
            return Source(
                x: values[0] - 1, y: values[1] - 1, fluxAuto: values[2], fluxErrAuto: values[3], flags: Int(values[4]))
        }
    }
}
