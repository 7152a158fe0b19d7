internal import Foundation

/// The real images and reference catalogues, which are not part of the package.
package enum SkyData {
    package static let folder: String = {
        if let path = ProcessInfo.processInfo.environment["SKYFARM_TEST_DATA"] { return path }
        return URL(filePath: #filePath).appending(path: "../../../../shared/sky").standardized.path()
    }()
    package static let isPresent = FileManager.default.fileExists(atPath: folder + "/ref")
    /// Why a suite that needs the images does not run.
    package static let missing = "needs the sky images; set SKYFARM_TEST_DATA to their folder"
}
