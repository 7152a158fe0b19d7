import Foundation
public import ScanBasics

/// Folders from which images may be opened by names received from other machines. `ConfinedFolders` describes the
/// rules.
public struct DataFolders: Sendable {
    package let folders: ConfinedFolders

    /// Opens the folders at these paths, which may be symbolic links.
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

    /// Opens the image with this identity: in the file at `path` or, if that fails, in a file below the folders whose
    /// path is an end of `path`; longer ends are tried first. So a copy is found whose path differs from the
    /// coordinator's.
    /// - Throws: ``ImageError``, which names only `path`, if there is no usable file.
    package func image(at path: String, hdu: Int, identity: FileIdentity) throws(ImageError) -> FITSImage {
        var failure: ImageError?
        let exact = exactPlace(path)
        if let exact {
            do throws(ImageError) {
                return try image(in: try open(exact, path), path, hdu: hdu, identity: identity)
            } catch {
                failure = error
            }
        }
        // Most of these files do not exist.
        for place in places(under: path) {
            guard let file = try? place.open(), Self.isFile(file, identity.size, identity.modified) else { continue }
            do throws(ImageError) {
                return try image(in: file, path, hdu: hdu, identity: identity)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? ImageError(.unreadable, "\(path.prefix(4096)): is not below a folder of images")
    }

    private func image(
        in file: OpenDescriptor, _ path: String, hdu: Int, identity: FileIdentity
    ) throws(ImageError) -> FITSImage {
        try withFile(file, path) { (file, name) throws(ImageError) in
            let image = try FITSImage(ImageLocation(path: name, selector: .number(hdu)), keeping: file)
            guard (try? image.stored.opened().identity(of: image)) == identity else {
                throw ImageError(
                    .unreadable, "\(path): is another file than the coordinator's, by size, time or header")
            }
            return image
        }
    }

    /// Whether a file that ``image(at:hdu:identity:)`` would examine has this size and modification time, in
    /// nanoseconds since 1970, and can be opened.
    package func hasCopy(of path: String, size: Int64, modified: Int64) -> Bool {
        file(at: path, size: size, modified: modified) != nil
    }

    /// Opens such a file; nil if there is none.
    package func file(at path: String, size: Int64, modified: Int64) -> OpenDescriptor? {
        for place in [exactPlace(path)].compactMap(\.self) + places(under: path) {
            if let file = try? place.open(), Self.isFile(file, size, modified) { return file }
        }
        return nil
    }

    private static func isFile(_ file: OpenDescriptor, _ size: Int64, _ modified: Int64) -> Bool {
        file.status.map { $0.size == size && $0.modified == modified } == true
    }

    /// Maximum number of path components for the search below the folders: each end of the path costs a look-up.
    private static let depth = 32

    /// Returns the places of all ends of a path below the folders, the longest end first.
    private func places(under path: String) -> [ConfinedPath] {
        guard path.hasPrefix("/"), path.utf8.count < ConfinedFolders.pathLimit,
            let parts = ConfinedPath.components(of: path)?.suffix(Self.depth)
        else { return [] }
        return parts.indices.flatMap { folders.places(below: parts[$0...].joined(separator: "/")) }
    }

    /// Opens the file at an absolute path without symbolic links, and passes `body` a name that opens exactly this
    /// file.
    /// - Throws: ``ImageError`` if the file cannot be opened; errors of `body`, with the path in place of that name.
    func withFile<Result>(
        at path: String, _ body: (OpenDescriptor, String) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        guard let place = exactPlace(path) else {
            throw ImageError(.unreadable, "\(path.prefix(4096)): is not below a folder of images")
        }
        return try withFile(try open(place, path), path, body)
    }

    private func withFile<Result>(
        _ file: OpenDescriptor, _ path: String, _ body: (OpenDescriptor, String) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        let name = file.name
        do throws(ImageError) {
            // CFITSIO would decompress the whole file into memory for each window.
            guard !FileKind.isCompressed(try FileKind.firstBytes(of: name)) else {
                throw ImageError(.unreadable, "\(name): is compressed as a whole")
            }
            return try body(file, name)
        } catch {
            throw ImageError(error.code, error.message.replacingOccurrences(of: name, with: path))
        }
    }

    /// Returns the place of a path, or nil if it is outside the folders or `path` is not the canonical path. A
    /// coordinator sends the canonical path.
    private func exactPlace(_ path: String) -> ConfinedPath? {
        folders.place(path).flatMap { $0.path == path ? $0 : nil }
    }

    private func open(_ place: ConfinedPath, _ path: String) throws(ImageError) -> OpenDescriptor {
        do throws(ConfinedPath.Refusal) {
            return try place.open()
        } catch {
            throw ImageError(.unreadable, "\(path): cannot be read: \(error)")
        }
    }
}

extension StoredImage {
    /// The absolute path of the file with symbolic links resolved; nil if the file no longer exists.
    public var absolutePath: String? { realPath(location.path) }
}
