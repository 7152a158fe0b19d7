import Foundation

/// The budget of a search for the files that match a pattern.
package struct ConfinedSearch {
    /// Number of directory entries that may still be read.
    private var rest: Int
    private let end: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    /// Whether the budget was exhausted or the search was cancelled.
    package private(set) var isExhausted = false
    /// Paths of folders that would have to be searched but cannot be read.
    package private(set) var unreadable: Set<String> = []
    /// Paths of entries whose names are not UTF-8, with replacement characters. They are in no result.
    package private(set) var unnameable: Set<String> = []

    /// Creates a budget of `limit` directory entries and `time`; the search also ends when `isCancelled` returns true.
    package init(
        limit: Int = 1_000_000, time: Duration = .seconds(10), isCancelled: @escaping () -> Bool = { false }
    ) {
        (rest, end, self.isCancelled) = (limit, .now + time, isCancelled)
    }

    /// Takes `count` entries from the budget. Returns whether the search may continue.
    fileprivate mutating func takes(_ count: Int) -> Bool {
        rest -= count
        if rest < 0 || .now > end || isCancelled() { isExhausted = true }
        return !isExhausted
    }

    fileprivate mutating func note(unreadable folder: String) { unreadable.insert(folder.isEmpty ? "/" : folder) }

    fileprivate mutating func note(unnameable path: String) { unnameable.insert(path) }

    /// Returns the status of a file in a folder, or nil if there is none or the folder cannot be searched.
    fileprivate mutating func look(at place: ConfinedPath, in folder: String) -> FileStatus? {
        do throws(ConfinedPath.Refusal) {
            return try place.look()
        } catch {
            note(unreadable: folder)
            return nil
        }
    }

    /// Returns the names in a folder that match a pattern, or none if it cannot be read.
    fileprivate mutating func names(in folder: OpenDescriptor, _ path: String, _ pattern: String) -> [String] {
        do throws(ConfinedPath.Refusal) {
            return try ConfinedFolders.names(in: folder, path, pattern, &self)
        } catch {
            note(unreadable: path)
            return []
        }
    }
}

extension ConfinedFolders {
    /// Returns the regular files that match a shell pattern, in the order of their bytes. Symbolic links are not
    /// followed.
    package func paths(matching pattern: String, _ search: inout ConfinedSearch) -> [String] {
        guard let parts = Self.parts(of: pattern) else { return [] }
        var found: Set<String> = []
        for (names, folder) in roots {
            // The pattern may match any of the folder's names.
            for name in names {
                for rest in Self.rests(of: parts[...], after: name[...]) where !rest.isEmpty {
                    let start = name.map { "/" + $0 }.joined()
                    Self.find(rest, below: folder, start, &search, &found)
                }
            }
        }
        return found.sorted(by: FolderTree.precedes)
    }

    /// Returns the regular files that match a pattern whose leading slash stands for any of the folders, in the order
    /// of their bytes. The paths begin with that slash too.
    package func paths(matchingBelow pattern: String, _ search: inout ConfinedSearch) -> [String] {
        guard let parts = Self.parts(of: pattern) else { return [] }
        var found: Set<String> = []
        for (_, folder) in roots { Self.find(parts[...], below: folder, "", &search, &found) }
        return found.sorted(by: FolderTree.precedes)
    }

    /// Returns the regular files below a folder at any depth, in the order of their bytes; their paths begin with
    /// `path`. Symbolic links are not followed.
    package static func files(
        below folder: OpenDescriptor, _ path: String, _ search: inout ConfinedSearch
    ) -> [String] {
        var found: Set<String> = []
        find([ShellPattern.anyFolders, "*"], below: folder, path, &search, &found)
        return found.sorted(by: FolderTree.precedes)
    }

    private static func parts(of pattern: String) -> [String]? {
        guard pattern.hasPrefix("/"), pattern.utf8.count < pathLimit, !pattern.utf8.contains(0),
            let parts = ShellPattern.components(of: pattern), !parts.contains("..")
        else { return nil }
        return parts
    }

    /// The components that may follow in a pattern whose first components match those of a folder.
    private static func rests(of parts: ArraySlice<String>, after name: ArraySlice<Substring>) -> [ArraySlice<String>] {
        guard let first = name.first else { return [parts] }
        guard let part = parts.first else { return [] }
        if part == ShellPattern.anyFolders {
            return rests(of: parts.dropFirst(), after: name) + rests(of: parts, after: name.dropFirst())
        }
        return ShellPattern.matches(String(first), part) ? rests(of: parts.dropFirst(), after: name.dropFirst()) : []
    }

    private static func find(
        _ parts: ArraySlice<String>, below folder: OpenDescriptor, _ path: String, _ search: inout ConfinedSearch,
        _ found: inout Set<String>
    ) {
        guard let first = parts.first, !search.isExhausted else { return }
        // Deeper folders have no path by which a file could be opened, and would exhaust the stack.
        guard path.utf8.count < pathLimit else { return search.note(unreadable: path) }
        if first == ShellPattern.anyFolders {
            find(parts.dropFirst(), below: folder, path, &search, &found)
            for name in search.names(in: folder, path, "*") where !isReserved(name) {
                let place = ConfinedPath(folder: folder, root: path, rest: name)
                guard search.look(at: place, in: path)?.kind == .folder else { continue }
                guard let next = try? place.openFolder() else {
                    search.note(unreadable: "\(path)/\(name)")
                    continue
                }
                find(parts, below: next, "\(path)/\(name)", &search, &found)
            }
            return
        }
        let names = ShellPattern.isPattern(first) ? search.names(in: folder, path, first) : [first]
        for name in names where !isReserved(name) {
            let place = ConfinedPath(folder: folder, root: path, rest: name)
            if parts.count > 1 {
                guard let next = try? place.openFolder() else { continue }
                find(parts.dropFirst(), below: next, "\(path)/\(name)", &search, &found)
            } else if search.look(at: place, in: path)?.kind == .regular {
                found.insert("\(path)/\(name)")
            }
        }
    }

    /// Returns the names in the folder at `path` that match a pattern.
    /// - Throws: ``ConfinedPath/Refusal`` if the folder cannot be read.
    package static func names(
        in folder: OpenDescriptor, _ path: String, _ pattern: String, _ search: inout ConfinedSearch
    ) throws(ConfinedPath.Refusal) -> [String] {
        // The descriptor may allow entering the folder but not reading it.
        let descriptor = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ConfinedPath.Refusal(path: path, errno: errno) }
        guard let stream = fdopendir(descriptor) else {
            let cause = errno
            close(descriptor)
            throw ConfinedPath.Refusal(path: path, errno: cause)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream), search.takes(1) {
            let (name, isText) = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    (String(cString: $0), String(validatingCString: $0) != nil)
                }
            }
            guard ShellPattern.matches(name, pattern) else { continue }
            if isText { names.append(name) } else { search.note(unnameable: "\(path)/\(name)") }
        }
        return names
    }
}
