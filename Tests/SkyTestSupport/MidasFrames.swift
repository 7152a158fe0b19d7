internal import Foundation
internal import SkyFITS

/// Real frames of Debian's package `eso-midas-testdata`.
package enum MidasFrames {
    /// Why a test that needs the frames does not run.
    package static let missing = "needs real frames (Debian: eso-midas-testdata)"

    private static let folders: [String] = {
        let versions = "/usr/lib/eso-midas"
        return ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []).flatMap {
            ["\(versions)/\($0)/test/prim", "\(versions)/\($0)/test/fits"]
        }
    }()

    /// The file with a name; nil if it is not installed.
    package static func path(_ name: String) -> String? {
        folders.map { "\($0)/\(name)" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// The files that hold a 2-D image.
    package static let paths: [String] = {
        folders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.sorted().map { "\(folder)/\($0)" }.filter { path in
                ["fits", "fit", "mt"].contains(URL(filePath: path).pathExtension) && (try? FITSImage(path)) != nil
            }
        }
    }()
}
