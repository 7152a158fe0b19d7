import Foundation

/// The type of a file, judged by its first bytes.
package enum FileKind {
    /// The compression of a file as a whole.
    package enum Storage {
        case plain
        case gzip
        case bzip2
        /// Compressed with another method, which CFITSIO decompresses.
        case compressed
    }

    /// Returns the compression of a file, and rejects a file that cannot be FITS. The error names its apparent type.
    static func check(_ path: String) throws(ImageError) -> Storage {
        guard !path.isEmpty else { throw ImageError(.missing, "the image's name is empty; name a FITS file") }
        guard !path.utf8.contains(0) else { throw ImageError(.missing, "the image's name contains a zero byte") }
        let start = try firstBytes(of: path)
        guard !start.isEmpty else { throw ImageError(.empty, "\(path): the file is empty; fetch it again") }
        if start.starts(with: [0x1f, 0x8b]) { return .gzip }
        if start.starts(with: [0x42, 0x5a, 0x68]) { return .bzip2 }
        if isCompressed(start) { return .compressed }
        if start.starts(with: HDUWalk.start) { return .plain }
        throw ImageError(.notFITS, "\(path): not a FITS file: it looks like \(looks(start)); name a FITS image")
    }

    /// Whether a file that begins with these bytes is compressed as a whole.
    static func isCompressed(_ start: [UInt8]) -> Bool {
        [[0x1f, 0x8b], [0x1f, 0x9d], [0x1f, 0xa0], [0x1f, 0x1e], [0x50, 0x4b, 3, 4], [0x42, 0x5a, 0x68]].contains {
            start.starts(with: $0)
        }
    }

    static func firstBytes(of path: String) throws(ImageError) -> [UInt8] { try bytes(of: path, at: 0) }

    /// Returns up to 512 bytes of the file from `offset`.
    static func bytes(of path: String, at offset: Int) throws(ImageError) -> [UInt8] {
        try ReadableFiles.check(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(path) }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw ImageError(.isDirectory, "\(path): is a folder; name a FITS file in it")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ImageError(.unreadable, "\(path): is no regular file; copy its contents to one")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count >= 0 else { throw failure(path) }
        return Array(bytes.prefix(count))
    }

    private static func failure(_ path: String) -> ImageError {
        let code = errno
        // The replacement character for bytes that are not valid text.
        let isRepaired = path.unicodeScalars.contains("\u{fffd}")
        return switch code {
        case ENOENT where isRepaired, ENOTDIR where isRepaired:
            ImageError(.missing, "\(path): no such file; its name is not UTF-8: rename it")
        case ENOENT, ENOTDIR: ImageError(.missing, "\(path): no such file; check the name")
        case EACCES, EPERM:
            ImageError(.unreadable, "\(path): permission denied; make the file readable to this user")
        default: ImageError(.unreadable, "\(path): \(String(cString: strerror(code)))")
        }
    }

    private static func looks(_ start: [UInt8]) -> String {
        let kinds: [([UInt8], String)] = [
            ([0x89, 0x50, 0x4e, 0x47], "a PNG picture"), ([0xff, 0xd8, 0xff], "a JPEG picture"),
            ([0x49, 0x49, 0x2a, 0], "a TIFF picture"), ([0x4d, 0x4d, 0, 0x2a], "a TIFF picture"),
            (Array("GIF8".utf8), "a GIF picture"), (Array("%PDF".utf8), "a PDF document"),
            ([0x89, 0x48, 0x44, 0x46], "an HDF5 file"),
            (Array("XTENSION".utf8), "a FITS extension without its primary HDU"),
            ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "an xz archive; decompress it first"),
            ([0x28, 0xb5, 0x2f, 0xfd], "a zstd archive; decompress it first"),
            (Array("<".utf8), "a web page or XML"),
        ]
        if let kind = kinds.first(where: { start.starts(with: $0.0) }) { return kind.1 }
        let isText = start.allSatisfy { (0x20..<0x7f).contains($0) || (9...13).contains($0) }
        return isText ? "text" : "binary data of another kind"
    }
}
