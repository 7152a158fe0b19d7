package import SkyFITS

/// Paths of the files of a scan, by which a node that has the same files can open them.
package struct FileNames: Codable, Equatable, Sendable {
    package struct File: Codable, Equatable, Sendable {
        /// Absolute, without symbolic links.
        package var path: String
        package var hdu: Int
        /// The identity that a node's file at this path must have; nil if it is not known.
        package var identity: FileIdentity?
    }

    package var image: File
    package var mask: File?
    package var weights: File?

    /// The name of an image without maps.
    package init(image: File) { self.image = image }

    /// The names of open files, whose bytes are `opened`; nil if a node cannot read one of them window by window, as it
    /// cannot select the plane of a cube.
    package init?(_ files: ImageFiles, _ opened: OpenFiles) {
        func file(_ image: FITSImage?, _ bytes: StoredBytes?) -> File? {
            guard let image, let bytes, image.plane == nil, !image.stored.isCompressedFile,
                let path = image.stored.absolutePath
            else { return nil }
            return File(path: path, hdu: image.hduNumber, identity: try? bytes.identity(of: image))
        }
        // A node would read raw samples.
        guard files.calibration == nil, let image = file(files.image, opened.image) else { return nil }
        (self.image, mask, weights) = (image, file(files.mask, opened.mask), file(files.weights, opened.weights))
        guard (mask != nil) == (files.mask != nil), (weights != nil) == (files.weights != nil) else { return nil }
    }

    /// Whether a node can find out whether it has the same files.
    package var areIdentified: Bool { [image, mask, weights].allSatisfy { $0 == nil || $0?.identity != nil } }
}
