package import CommandLineKit
import ScanCluster
package import SkyFITS

/// The names of outputs that depend on images, and the image of each: no name may have two.
package final class OutputClaims: Sendable {
    private let owners = Locked([String: String]())

    package init() {}

    /// Takes the names of the outputs of a file's images.
    /// - Parameters:
    ///   - images: those that are scanned.
    ///   - file: the file.
    ///   - plans: where the outputs go.
    /// - Throws: `UsageError` if two images would have one output.
    package func claim(
        _ images: [ImageExtension], of file: InputList.File, _ plans: [OutputPlan]
    ) throws(UsageError) {
        for (name, image) in plans.flatMap({ $0.namesPerImage(images, of: file) }) {
            let owner = "\(image.words) of \(file.name)"
            let other = owners.withLock { owners in
                let known = owners[ScanCommand.absolute(name)]
                if known == nil { owners[ScanCommand.absolute(name)] = owner }
                return known
            }
            if let other, other != owner {
                throw UsageError(
                    "--output: \(other) and \(owner) would both be written to "
                        + "\(name); add {ext}, the number of the HDU, to the name")
            }
        }
    }
}
