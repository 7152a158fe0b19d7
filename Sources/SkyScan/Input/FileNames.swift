internal import SkyImage

/// Paths of the files of a scan, by which a node that has the same files can open them.
struct FileNames: Codable, Equatable, Sendable {
    struct File: Codable, Equatable, Sendable {
        /// Absolute, without symbolic links.
        var path: String
        var hdu: Int
    }

    var image: File
    var mask: File?
    var weights: File?

    /// The names of open files; nil if a node cannot read one of them window by window.
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
