#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder with all folders and files below it, in an order that does not depend on the file system. Names that begin
/// with a dot are left out.
///
/// Links to folders are followed, and every folder is searched once, so that links in a circle end: under its own name
/// if the tree has it, otherwise under the name of the first link to it.
package struct FolderTree: Equatable, Sendable {
    /// Paths of the folder and of those below it, in the order of their bytes. They begin with the folder's own path.
    package private(set) var folders: [String] = []
    /// Paths of the regular files, and of links to such files, in the order of their bytes.
    package private(set) var files: [String] = []
    /// Paths of folders that cannot be read.
    package private(set) var unreadable: [String] = []

    private var seen: Set<Identity> = []
    private var links: [String] = []

    private struct Identity: Hashable {
        var device: UInt64
        var number: UInt64
    }

    /// Reads the tree below `folder`. A folder that does not exist is unreadable.
    package init(below folder: String) {
        read(folder)
        while let link = links.min(by: Self.precedes) {
            links.removeAll { $0 == link }
            read(link)
        }
        (seen, links) = ([], [])
        folders.sort(by: Self.precedes)
        files.sort(by: Self.precedes)
        unreadable.sort(by: Self.precedes)
    }

    /// Whether a path comes before another one: by their bytes, so that the order is the same in every language.
    package static func precedes(_ path: String, _ other: String) -> Bool {
        path.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Searches a folder and those below it, except links to folders, which are collected.
    private mutating func read(_ folder: String) {
        var pending = [folder]
        while let folder = pending.popLast() {
            var status = stat()
            guard stat(folder, &status) == 0 else {
                unreadable.append(folder)
                continue
            }
            let identity = Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
            guard seen.insert(identity).inserted else { continue }
            guard let stream = opendir(folder) else {
                unreadable.append(folder)
                continue
            }
            defer { closedir(stream) }
            folders.append(folder)
            let prefix = folder.hasSuffix("/") ? folder : folder + "/"
            var below: [String] = []
            while let entry = readdir(stream) { add(entry, prefix, &below) }
            // The last one is searched first.
            pending += below.sorted { Self.precedes($1, $0) }
        }
    }

    private mutating func add(_ entry: UnsafeMutablePointer<dirent>, _ prefix: String, _ below: inout [String]) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasPrefix(".") { return }
        let path = prefix + name
        switch Int32(entry.pointee.d_type) {
        case Int32(DT_REG): files.append(path)
        case Int32(DT_DIR): below.append(path)
        // A link, or a file system that does not tell.
        case Int32(DT_LNK), Int32(DT_UNKNOWN):
            var status = stat()
            guard lstat(path, &status) == 0 else { return }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            guard stat(path, &status) == 0 else { return }
            if status.st_mode & S_IFMT == S_IFREG {
                files.append(path)
            } else if status.st_mode & S_IFMT == S_IFDIR {
                if isLink { links.append(path) } else { below.append(path) }
            }
        default: break
        }
    }
}
