import Foundation
import SkyTestSupport

@testable import SkyImage

/// source-extractor, with the settings of the benchmarks: the equivalent of a scan's defaults.
struct SourceExtractor {
    static let missing = "needs source-extractor (Debian: source-extractor)"
    static let isPresent = FileManager.default.isExecutableFile(atPath: program)

    private static let program = "/usr/bin/source-extractor"
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
            program,
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

/// Real frames of Debian's package `eso-midas-testdata`.
enum MidasFrames {
    static let missing = "needs real frames (Debian: eso-midas-testdata)"

    /// The files that hold a 2-D image.
    static let paths: [String] = {
        let versions = "/usr/lib/eso-midas"
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []).flatMap {
            ["\(versions)/\($0)/test/prim", "\(versions)/\($0)/test/fits"]
        }
        return folders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.sorted().map { "\(folder)/\($0)" }.filter { path in
                ["fits", "fit", "mt"].contains(URL(filePath: path).pathExtension) && (try? FITSImage(path)) != nil
            }
        }
    }()
}
