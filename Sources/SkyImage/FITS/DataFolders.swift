import Foundation

/// Folders below which images may be opened by names received from other machines; ``ConfinedFolders`` says how.
public struct DataFolders: Sendable {
    let folders: ConfinedFolders

    /// The folders at these paths, which may be symbolic links.
    /// - Throws: ``ImageError`` if one is not a folder or cannot be entered.
    public init(_ paths: [String]) throws(ImageError) {
        do throws(ConfinedPath.Refusal) {
            folders = try ConfinedFolders(paths)
        } catch {
            throw ImageError(.missing, "\(error.path): no folder to read images from: \(error)")
        }
    }

    /// Opens the image in HDU number `hdu` of the file at an absolute path without symbolic links.
    /// - Throws: ``ImageError`` if the file is not below one of the folders or cannot be used.
    public func image(at path: String, hdu: Int) throws(ImageError) -> FITSImage {
        try withFile(at: path) { (file, name) throws(ImageError) in
            try FITSImage(ImageLocation(path: name, selector: .number(hdu)), keeping: file)
        }
    }

    /// Opens the file at such a path, and calls `body` with a name that opens exactly this file.
    /// - Throws: ``ImageError`` as above, and what `body` throws, with the path in place of that name.
    func withFile<Result>(
        at path: String, _ body: (OpenDescriptor, String) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        let file = try open(path)
        let name = file.name
        do throws(ImageError) {
            // CFITSIO would decompress the whole file into memory, for each window.
            guard !FileKind.isCompressed(try FileKind.firstBytes(of: name)) else {
                throw ImageError(.unreadable, "\(name): is compressed as a whole")
            }
            return try body(file, name)
        } catch {
            throw ImageError(error.code, error.message.replacingOccurrences(of: name, with: path))
        }
    }

    private func open(_ path: String) throws(ImageError) -> OpenDescriptor {
        guard path.utf8.count < 4096, !path.utf8.contains(0) else {
            throw ImageError(
                .unreadable,
                "the path cannot be opened: its \(path.utf8.count) bytes are too many, or one of them is zero")
        }
        // A coordinator sends the path that the file has, not another way to it.
        guard let place = folders.place(path), place.path == path else {
            throw ImageError(.unreadable, "\(path): is not below a folder of images")
        }
        do throws(ConfinedPath.Refusal) {
            return try place.open()
        } catch {
            throw ImageError(.unreadable, "\(path): cannot be read: \(error)")
        }
    }
}

extension StoredImage {
    /// The absolute path of the file, with symbolic links resolved; nil if the file no longer exists.
    public var absolutePath: String? { realPath(location.path) }
}

/// The absolute path, with symbolic links resolved, of the file at `path`; nil if there is none.
func realPath(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
}
