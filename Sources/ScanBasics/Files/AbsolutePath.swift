internal import Foundation

package enum AbsolutePath {
    /// Returns the absolute path of a file without `.` and `..`. Symbolic links are not followed.
    package static func of(_ name: String) -> String {
        // A job may have thousands of names, nearly all of which are plain already.
        if isPlain(name) { return name.hasPrefix("/") ? name : folder(FileManager.default.currentDirectoryPath) + name }
        return URL(filePath: name, directoryHint: .notDirectory).standardizedFileURL.path
    }

    /// Returns the path without its last component: empty for a name alone, and "/" for one in the root.
    package static func folder(of path: String) -> String {
        // By bytes: a slash and a combining mark, with which a name may begin, are one character.
        let slash = UInt8(ascii: "/")
        var folder = path.utf8[...]
        while folder.last == slash { folder.removeLast() }
        folder = folder[..<(folder.lastIndex(of: slash) ?? folder.startIndex)]
        while folder.last == slash { folder.removeLast() }
        return folder.isEmpty && path.utf8.first == slash ? "/" : String(Substring(folder))
    }

    private static func folder(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }

    /// Whether a name has no empty component and no component that begins with a dot or a tilde.
    private static func isPlain(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            var beginsComponent = true
            for byte in bytes.first == UInt8(ascii: "/") ? bytes.dropFirst() : bytes[...] {
                if beginsComponent, [UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "~")].contains(byte) {
                    return false
                }
                beginsComponent = byte == UInt8(ascii: "/")
            }
            return !beginsComponent && !bytes.isEmpty
        }
    }
}

/// Returns the absolute path of the file at `path` with symbolic links resolved, or sets `errno` and returns nil.
package func realPath(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
}
