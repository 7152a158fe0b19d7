import CSystem
import Foundation

/// Folders below which paths may lead that others choose: peers of the network, or jobs of other machines.
///
/// A path is compared with them by its components, without a look at the disk: what is outside has one answer, whether or
/// not it exists. What is below them is resolved from the folder, which is opened once: no `..` and no symbolic link
/// leads out.
package struct ConfinedFolders: Sendable {
    private struct Folder: Sendable {
        /// Components of the paths by which it is named: the given one, and that without symbolic links.
        var names: [[Substring]]
        var path: String
        var descriptor: OpenDescriptor
    }

    private let folders: [Folder]

    /// The folder in which Skyfarm keeps jobs, in any folder that they use. No path leads into it.
    package static let reserved = ".skyfarm"

    /// The folders at these paths, which may be symbolic links.
    /// - Throws: ``ConfinedPath/Refusal`` that names the first one that is no folder or cannot be entered.
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

    /// The folders: the components of the names that they have, and each opened.
    var roots: [(names: [[Substring]], folder: OpenDescriptor)] { folders.map { ($0.names, $0.descriptor) } }

    /// Whether a component of a path leads into a folder or to a file of Skyfarm's own, such as one that is being written.
    static func isReserved(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return name == reserved || name.hasPrefix(reserved + "-")
    }

    /// No file system has longer paths.
    package static let pathLimit = 4096

    /// Components that may be ones of a path below a folder; nil if one is `..` or reserved, or the path is too long. No file
    /// system allows a zero byte.
    private static func plain(_ path: String) -> [Substring]? {
        guard path.utf8.count < pathLimit, !path.utf8.contains(0), let parts = ConfinedPath.components(of: path),
            !parts.contains(where: isReserved)
        else { return nil }
        return parts
    }

    /// The places that a path names that is relative to a folder: one below each; none if it has a `..`.
    package func places(below path: String) -> [ConfinedPath] {
        guard let parts = Self.plain(path), !parts.isEmpty else { return [] }
        let rest = parts.joined(separator: "/")
        return folders.map { ConfinedPath(folder: $0.descriptor, root: $0.path, rest: rest) }
    }

    /// The place that a path names; nil if it is relative, not below one of the folders, or has a `..`.
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

/// A path below a folder, and the only way from it to a file.
package struct ConfinedPath: Sendable {
    package let folder: OpenDescriptor
    /// The path of the folder, without symbolic links.
    package let root: String
    /// What follows it; empty for the folder itself.
    package let rest: String

    /// Why a path leads to no file.
    package struct Refusal: Error, CustomStringConvertible {
        package var path: String
        package var errno: Int32

        package init(path: String, errno: Int32) { (self.path, self.errno) = (path, errno) }

        /// The cause in words.
        package var description: String { String(cString: strerror(errno)).lowercased() }
    }

    /// Without symbolic links.
    package var path: String { rest.isEmpty ? root : root == "/" ? "/" + rest : "\(root)/\(rest)" }

    /// The name in its folder.
    package var lastName: String { rest.split(separator: "/").last.map(String.init) ?? "" }

    /// The components of an absolute path; nil if one is `..`. Empty ones and `.` mean nothing.
    package static func components(of path: String) -> [Substring]? {
        let parts = path.split(separator: "/").filter { $0 != "." }
        return parts.contains("..") ? nil : parts
    }

    /// Opens the regular file for reading. What is none is not opened, and a file that blocks does not block here.
    /// - Throws: ``Refusal``.
    package func open() throws(Refusal) -> OpenDescriptor { try opened(skyfarm_open_beneath(folder.number, rest)) }

    /// Opens the folder.
    /// - Throws: ``Refusal``.
    package func openFolder() throws(Refusal) -> OpenDescriptor {
        try opened(skyfarm_open_folder_beneath(folder.number, rest))
    }

    /// The status of what is there, which is not opened; nil if there is nothing.
    /// - Throws: ``Refusal`` if the path leads through something that is no folder.
    package func look() throws(Refusal) -> FileStatus? {
        var status = stat()
        if skyfarm_look_beneath(folder.number, rest, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw Refusal(path: path, errno: errno)
    }

    /// Opens the folder of the file, after making what is missing of it if `isMade`.
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
