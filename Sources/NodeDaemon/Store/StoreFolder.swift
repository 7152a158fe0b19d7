import CSystem
package import CommandLineKit
import Foundation
package import ImageJobs
package import ScanBasics

/// The folder of a store. All names are resolved below it by ``ConfinedFolders``; neither `..` nor a link leads out of
/// it.
package final class StoreFolder: Sendable {
    private let folders: ConfinedFolders
    /// Folder of files that are being received. Its name is reserved, so that no path of a peer leads into it.
    private let incoming: OpenDescriptor
    /// Absolute, without symbolic links.
    package let path: String

    private static let incomingName = ConfinedFolders.reserved + "-incoming"

    /// Opens the folder at `path` and removes incomplete files that an earlier process left.
    /// - Throws: `CommandError` if it is not a folder in which this user can write, or is the store of another process.
    package init(_ path: String) throws(CommandError) {
        guard let real = realPath(path), let folders = try? ConfinedFolders([real]) else {
            throw CommandError(.input, "node: --store \(path)", errno: errno, remedy: "; name a folder")
        }
        let name = "\(real)/\(Self.incomingName)"
        mkdir(name, 0o700)
        let descriptor = Foundation.open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        let cause = descriptor < 0 ? errno : EACCES
        let incoming = OpenDescriptor(descriptor)
        guard incoming.isPrivate else {
            throw CommandError(
                .output, "node: --store \(path)", errno: cause,
                remedy: "; name a folder in which this user may write, and remove \(name) if it is another user's")
        }
        // Some network file systems do not lock folders.
        if flock(incoming.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw CommandError(.output, "node: --store \(path): is the store of another node; name another folder")
        }
        (self.folders, self.incoming, self.path) = (folders, incoming, real)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: name)) ?? [] {
            unlinkat(incoming.number, name, 0)
        }
    }

    /// Returns the number of bytes below the folder, as the ledger counts them.
    package func count() -> Int {
        var total = 0
        let keys: Set<URLResourceKey> = [.isDirectoryKey, .fileSizeKey]
        // The enumerator does not follow links.
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: path, isDirectory: true), includingPropertiesForKeys: Array(keys))
        while let file = files?.nextObject() as? URL {
            // The ledger counts the files in this folder.
            if file.lastPathComponent == Self.incomingName { files?.skipDescendants() }
            let values = try? file.resourceValues(forKeys: keys)
            total += StoreLedger.charge(values?.isDirectory == true ? 0 : values?.fileSize ?? 0)
        }
        return total
    }

    /// Number of bytes that may still be written: a twentieth of the file system, but at most 10 GiB, stays free.
    package var free: Int {
        var status = statvfs()
        guard fstatvfs(incoming.number, &status) == 0 else { return 0 }
        let block = Int(status.f_frsize)
        return Int(status.f_bavail) * block - min(Int(status.f_blocks) * block / 20, 10 << 30)
    }

    /// Returns the place of a file whose name was checked by the ledger.
    private func place(of path: String) throws(CommandError) -> ConfinedPath {
        guard let place = folders.place("\(self.path)/\(path)") else {
            throw CommandError(.output, "\(path): is no name below a folder")
        }
        return place
    }

    /// Opens the file of this name for reading; returns nil if there is none.
    /// - Throws: `CommandError` if something other than a regular file has that name.
    package func existing(_ file: StoredFile) throws(CommandError) -> OpenDescriptor? {
        let place = try place(of: file.path)
        do throws(ConfinedPath.Refusal) {
            return try place.open()
        } catch {
            if error.errno == ENOENT { return nil }
            throw CommandError(.output, file.path, errno: error.errno, remedy: ": something else has its name")
        }
    }

    /// Creates the file that receives the data of `upload`.
    package func create(_ upload: UInt64) throws(CommandError) -> OpenDescriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = OpenDescriptor(openat(incoming.number, Self.name(of: upload), flags, 0o666))
        guard file.number >= 0 else { throw CommandError(.output, "the store", errno: errno) }
        return file
    }

    package func remove(_ upload: UInt64) { unlinkat(incoming.number, Self.name(of: upload), 0) }

    private static func name(of upload: UInt64) -> String { "\(String(upload, radix: 16)).part" }

    /// Gives the file of an upload its modification time and its name, and makes both durable. Calls `made` with the
    /// number of folders created.
    /// - Returns: False if the name is in use; files are never replaced.
    /// - Throws: ``CommandError`` if the file system refuses.
    package func keep(
        _ id: UInt64, _ upload: StoreLedger.Upload, in file: OpenDescriptor, made: (Int) -> Void
    ) throws(CommandError) -> Bool {
        let path = upload.file.path
        guard file.setModified(upload.file.modified), fsync(file.number) == 0 else {
            throw CommandError(.output, path, errno: errno)
        }
        guard file.resembles(upload.file) else {
            throw CommandError(.output, "\(path): the file system of the store rounds times of change; use another one")
        }
        let place = try place(of: path)
        made(missingFolders(of: path))
        let folder: OpenDescriptor
        do throws(ConfinedPath.Refusal) {
            folder = try place.openParent(isMade: true)
        } catch {
            throw CommandError(.output, path, errno: error.errno, remedy: ": its folder cannot be made")
        }
        guard skyfarm_rename_new(incoming.number, Self.name(of: id), folder.number, place.lastName) == 0 else {
            if errno == EEXIST { return false }
            throw CommandError(.output, path, errno: errno)
        }
        // The descriptor of the folder may permit only path traversal, which fsync does not accept.
        let synced = OpenDescriptor(openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        fsync(synced.number)
        return true
    }

    private func missingFolders(of path: String) -> Int {
        let parts = path.split(separator: "/").dropLast()
        return parts.indices.count { end in
            (try? folders.place("\(self.path)/\(parts[...end].joined(separator: "/"))")?.look()) == nil
        }
    }
}
