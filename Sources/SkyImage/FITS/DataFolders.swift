import CSkyfarm
import Foundation

/// Folders below which images may be opened by names received from other machines.
///
/// A path is resolved component by component from the folder, which is opened once: no symbolic link and no `..` leads
/// out of it, and only regular files are opened.
public struct DataFolders: Sendable {
    /// Each with the prefix of the absolute paths below it.
    private let folders: [(prefix: String, descriptor: OpenDescriptor)]

    /// The folders at these paths, which may be symbolic links.
    /// - Throws: ``ImageError`` if one is not a folder or cannot be entered.
    public init(_ paths: [String]) throws(ImageError) {
        var folders: [(String, OpenDescriptor)] = []
        for path in paths {
            guard let whole = realPath(path), case let descriptor = skyfarm_open_folder(whole), descriptor >= 0 else {
                let cause = String(cString: strerror(errno)).lowercased()
                throw ImageError(.missing, "\(path): no folder to read images from: \(cause)")
            }
            folders.append((whole == "/" ? whole : whole + "/", OpenDescriptor(descriptor)))
        }
        self.folders = folders
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

    /// Whether a path without symbolic links is below one of the folders.
    func isAllowed(_ path: String) -> Bool { folders.contains { path.utf8.starts(with: $0.prefix.utf8) } }

    private func open(_ path: String) throws(ImageError) -> OpenDescriptor {
        // No file system has longer paths, and none allows a zero byte in them.
        guard path.utf8.count < 4096, !path.utf8.contains(0) else {
            throw ImageError(
                .unreadable,
                "the path cannot be opened: its \(path.utf8.count) bytes are too many, or one of them is zero")
        }
        guard let folder = folders.first(where: { path.utf8.starts(with: $0.prefix.utf8) }) else {
            throw ImageError(.unreadable, "\(path): is not below a folder of images")
        }
        let rest = String(decoding: path.utf8.dropFirst(folder.prefix.utf8.count), as: UTF8.self)
        let descriptor = skyfarm_open_beneath(folder.descriptor.number, rest)
        guard descriptor >= 0 else {
            throw ImageError(.unreadable, "\(path): cannot be read: \(String(cString: strerror(errno)).lowercased())")
        }
        return OpenDescriptor(descriptor)
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

/// A descriptor that is closed when its last reference is released.
package final class OpenDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// A path that opens exactly this file for the lifetime of the object.
    var name: String {
        #if os(Linux)
            "/proc/self/fd/\(number)"
        #else
            "/dev/fd/\(number)"
        #endif
    }
}
