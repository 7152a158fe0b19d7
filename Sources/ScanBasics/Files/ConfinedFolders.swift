import CSystem
import Foundation

/// Folders that bound the paths chosen by others: peers on the network, or jobs of other machines.
///
/// A path is compared with the folders by its components, without access to the disk: every path outside gets the same
/// answer, whether or not it exists. A path inside is resolved relative to the folder, which is opened once, so neither
/// `..` nor a symbolic link leads out.
package struct ConfinedFolders: Sendable {
    private struct Folder: Sendable {
        /// Components of the folder's paths: as given, and with symbolic links resolved.
        var names: [[Substring]]
        var path: String
        var descriptor: OpenDescriptor
    }

    private let folders: [Folder]

    /// The name of Skyfarm's own folder for jobs. No path leads into it.
    package static let reserved = ".skyfarm"

    /// Opens the folders at these paths, which may be symbolic links.
    /// - Throws: ``ConfinedPath/Refusal`` for the first path that is not a folder or cannot be entered.
    package init(_ paths: [String]) throws(ConfinedPath.Refusal) {
        var folders: [Folder] = []
        for path in paths {
            guard let whole = realPath(path), case let descriptor = skyfarm_open_folder(whole), descriptor >= 0 else {
                throw ConfinedPath.Refusal(path: path, errno: errno)
            }
            let given = ConfinedPath.components(of: path.hasPrefix("/") ? path : AbsolutePath.of(path))
            let names = [given, ConfinedPath.components(of: whole)].compactMap(\.self)
            folders.append(Folder(names: names, path: whole, descriptor: OpenDescriptor(descriptor)))
        }
        self.folders = folders
    }

    /// The opened folders with the components of their names.
    var roots: [(names: [[Substring]], folder: OpenDescriptor)] { folders.map { ($0.names, $0.descriptor) } }

    /// Whether a path component names a folder or file of Skyfarm's own, such as one that is being written.
    static func isReserved(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return name == reserved || name.hasPrefix(reserved + "-")
    }

    /// The longest path of any file system, in bytes.
    package static let pathLimit = 4096

    /// Returns the components of a path below a folder, or nil if one is `..` or reserved, the path is too long, or it
    /// contains a zero byte, which no file system allows.
    private static func plain(_ path: String) -> [Substring]? {
        guard path.utf8.count < pathLimit, !path.utf8.contains(0), let parts = ConfinedPath.components(of: path),
            !parts.contains(where: isReserved)
        else { return nil }
        return parts
    }

    /// Returns the places of a relative path, one below each folder, or none if the path has a `..`.
    package func places(below path: String) -> [ConfinedPath] {
        guard let parts = Self.plain(path), !parts.isEmpty else { return [] }
        let rest = parts.joined(separator: "/")
        return folders.map { ConfinedPath(folder: $0.descriptor, root: $0.path, rest: rest) }
    }

    /// Returns the place of an absolute path, or nil if it is relative, outside the folders, or has a `..`.
    package func place(_ path: String) -> ConfinedPath? {
        guard path.hasPrefix("/"), let parts = Self.plain(path) else { return nil }
        for folder in folders {
            for name in folder.names where parts.starts(with: name) {
                return ConfinedPath(
                    folder: folder.descriptor, root: folder.path,
                    rest: parts.dropFirst(name.count).joined(separator: "/"))
            }
        }
        return nil
    }
}

/// A path below an opened folder. Files are only opened through it.
package struct ConfinedPath: Sendable {
    package let folder: OpenDescriptor
    /// The path of the folder, without symbolic links.
    package let root: String
    /// The path relative to the folder; empty for the folder itself.
    package let rest: String

    /// The path `rest` below an open folder, whose own path is `root`.
    package init(folder: OpenDescriptor, root: String, rest: String) {
        (self.folder, self.root, self.rest) = (folder, root, rest)
    }

    /// The reason why a path leads to no file.
    package struct Refusal: Error, CustomStringConvertible {
        package var path: String
        package var errno: Int32

        package init(path: String, errno: Int32) { (self.path, self.errno) = (path, errno) }

        /// The system's text for `errno`.
        package var description: String { String(cString: strerror(errno)).lowercased() }
    }

    /// The absolute path without symbolic links.
    package var path: String { rest.isEmpty ? root : root == "/" ? "/" + rest : "\(root)/\(rest)" }

    package var lastName: String { rest.split(separator: "/").last.map(String.init) ?? "" }

    /// Returns the components of an absolute path without empty ones and `.`, or nil if one is `..`.
    package static func components(of path: String) -> [Substring]? {
        let parts = path.split(separator: "/").filter { $0 != "." }
        return parts.contains("..") ? nil : parts
    }

    /// Opens the regular file for reading. Anything else is refused, and opening never blocks.
    /// - Throws: ``Refusal``.
    package func open() throws(Refusal) -> OpenDescriptor { try opened(skyfarm_open_beneath(folder.number, rest)) }

    /// Opens the folder.
    /// - Throws: ``Refusal``.
    package func openFolder() throws(Refusal) -> OpenDescriptor {
        try opened(skyfarm_open_folder_beneath(folder.number, rest))
    }

    /// Returns the status of the file without opening it, or nil if there is none.
    /// - Throws: ``Refusal`` if the path leads through something other than a folder.
    package func look() throws(Refusal) -> FileStatus? {
        var status = stat()
        if skyfarm_look_beneath(folder.number, rest, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw Refusal(path: path, errno: errno)
    }

    /// Opens the folder that contains the file, and creates missing folders if `isMade`.
    /// - Throws: ``Refusal``.
    package func openParent(isMade: Bool = false) throws(Refusal) -> OpenDescriptor {
        let names = rest.split(separator: "/").dropLast()
        guard isMade else {
            return try opened(skyfarm_open_folder_beneath(folder.number, names.joined(separator: "/")))
        }
        var current = try opened(skyfarm_open_folder_beneath(folder.number, ""))
        for name in names.map(String.init) {
            guard mkdirat(current.number, name, 0o777) == 0 || errno == EEXIST else {
                throw Refusal(path: path, errno: errno)
            }
            current = try opened(skyfarm_open_folder_beneath(current.number, name))
        }
        return current
    }

    private func opened(_ descriptor: Int32) throws(Refusal) -> OpenDescriptor {
        guard descriptor >= 0 else { throw Refusal(path: path, errno: errno) }
        return OpenDescriptor(descriptor)
    }
}
