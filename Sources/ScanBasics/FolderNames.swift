#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The names in a folder, one at a time and in no order: a large folder takes no memory for a list.
package enum FolderNames {
    /// Calls `body` with each name except `.` and `..`.
    /// - Returns: 0, or the value of `errno` for which the folder cannot be read to its end.
    package static func forEach(in folder: String, _ body: (String) -> Void) -> Int32 {
        guard let stream = opendir(folder) else { return errno }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return errno }
            // Read in place: the name may be longer than the imported tuple's declared size.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let text = String(cString: name)
            if text != ".", text != ".." { body(text) }
        }
    }
}
