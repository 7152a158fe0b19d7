import Foundation

/// Debian's source-extractor, with which catalogues are compared.
package enum SourceExtractorProgram {
    package static let path = "/usr/bin/source-extractor"
    package static let isPresent = FileManager.default.isExecutableFile(atPath: path)
    package static let absent = "needs source-extractor (Debian: source-extractor)"
    /// The neural network of `CLASS_STAR`, and the convolution kernel, which come with it.
    package static let network = "/usr/share/source-extractor/default.nnw"
    package static let kernel = "/usr/share/source-extractor/default.conv"
}
