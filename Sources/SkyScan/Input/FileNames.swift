internal import SkyImage

/// Where the files of a scan are, as a node may have them, too.
struct FileNames: Codable, Equatable, Sendable {
    struct File: Codable, Equatable, Sendable {
        /// Absolute, without links.
        var path: String
        var hdu: Int
    }

    var image: File
    var mask: File?
    var weights: File?

    /// The names of files that are open; nil if a node could not read one of them window by window.
    init?(_ files: ImageFiles) {
        func file(_ image: FITSImage) -> File? {
            guard !image.stored.isCompressedFile, let path = image.stored.absolutePath else { return nil }
            return File(path: path, hdu: image.hduNumber)
        }
        guard let image = file(files.image) else { return nil }
        (self.image, mask, weights) = (image, files.mask.flatMap(file), files.weights.flatMap(file))
        guard (mask != nil) == (files.mask != nil), (weights != nil) == (files.weights != nil) else { return nil }
    }
}
