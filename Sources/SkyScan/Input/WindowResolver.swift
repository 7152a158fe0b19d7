public import ScanCluster
internal import ScanNetwork
public import SkyFITS

/// Reads windows, and whole files, that tasks refer to from a node's own files, and answers questions about these files.
public struct WindowResolver: BulkResolver {
    private let folders: DataFolders

    /// Restricts reading to files below `folders`.
    public init(_ folders: DataFolders) { self.folders = folders }

    /// Reads the window, or answers the question, named by a coded reference.
    /// - Throws: ``ImageError`` or ``ScanSetupError`` if the node lacks the file or window; what decoding throws.
    public func bytes(of reference: BulkReference, count: Int, unpackedCount: Int?) throws -> BulkBytes {
        if reference.part == NodeFileTask.part {
            let request = try WireDecoder().decode(NodeFileRequest.self, from: reference.origin)
            return try NodeFileTask.bytes(
                of: request.answer(in: folders) { ScanCancellation.current?.isCancelled == true })
        }
        if reference.part == WholeFiles.part {
            return try WireDecoder().decode(WholeFiles.self, from: reference.origin).bytes(in: folders, count: count)
        }
        let names = try WireDecoder().decode(FileNames.self, from: reference.origin)
        if reference.part == ChecksumTask.part { return try checksums(names) }
        let window = try WireDecoder().decode(WindowPixels.self, from: reference.part)
        try window.rect.validate()
        guard !window.rect.isEmpty, window.byteCount == unpackedCount ?? count, window.hasMask == (names.mask != nil),
            window.hasWeights == (names.weights != nil)
        else { throw ScanSetupError("the window \(window.rect) does not have \(unpackedCount ?? count) bytes") }
        func open(_ file: FileNames.File) throws -> FITSImage {
            let image = try image(file)
            guard PixelRect(x: 0..<image.width, y: 0..<image.height).contains(window.rect) else {
                throw ImageError(.noImage, "\(file.path): has only \(image.width) by \(image.height) pixels")
            }
            return image
        }
        let files = ImageFiles(
            image: try open(names.image), mask: try names.mask.map(open), weights: try names.weights.map(open))
        let bytes = try read(window, of: files, isPacked: unpackedCount != nil)
        do {
            try files.requireUnchanged()
        } catch {
            // The bytes may be of two versions of the file, or of another one than the coordinator's.
            throw ImageError(error.code, "\(names.image.path): was changed while it was read")
        }
        return bytes
    }

    private func read(_ window: WindowPixels, of files: ImageFiles, isPacked: Bool) throws -> BulkBytes {
        guard isPacked else { return try files.read(window) }
        guard let packed = try StoredFiles(files, in: OpenFiles(files))?.read(window) else {
            throw ScanSetupError("the window \(window.rect) has no packed form here")
        }
        return packed
    }

    /// Opens an image.
    /// - Throws: ``ImageError`` if the node lacks it, or has another file in its place.
    private func image(_ file: FileNames.File) throws -> FITSImage {
        guard let identity = file.identity else { return try folders.image(at: file.path, hdu: file.hdu) }
        return try folders.image(at: file.path, hdu: file.hdu, identity: identity)
    }

    /// The checksums of files, as the bulk bytes of a ``ChecksumTask``.
    private func checksums(_ names: FileNames) throws -> BulkBytes {
        func checksum(_ file: FileNames.File) throws -> UInt64 {
            let image = try image(file)
            // Its path is valid only while it is open.
            return try withExtendedLifetime(image) {
                let checksum = try image.stored.checksum()
                try image.stored.requireUnchanged()
                return checksum
            }
        }
        return ChecksumTask.bytes(
            of: InputChecksums(
                image: try checksum(names.image), mask: try names.mask.map(checksum),
                weights: try names.weights.map(checksum)))
    }
}
