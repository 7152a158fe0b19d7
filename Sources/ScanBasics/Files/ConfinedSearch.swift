import Foundation

/// The budget of a search for the files that match a pattern.
package struct ConfinedSearch {
    /// Number of directory entries that may still be read.
    private var rest: Int
    private let end: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    /// Whether the budget was exhausted or the search was cancelled.
    package private(set) var isExhausted = false

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
}

extension ConfinedFolders {
    /// Returns the regular files that match a shell pattern, in alphabetical order. Symbolic links are not followed.
    package func paths(matching pattern: String, _ search: inout ConfinedSearch) -> [String] {
        guard let parts = Self.parts(of: pattern) else { return [] }
        var found: Set<String> = []
        for (names, folder) in roots {
            // The pattern may match any of the folder's names.
            for name in names where name.count < parts.count {
                guard zip(parts, name).allSatisfy({ ShellPattern.matches(String($1), String($0)) }) else { continue }
                let start = name.map { "/" + $0 }.joined()
                find(parts.dropFirst(name.count), below: folder, start, &search, &found)
            }
        }
        return found.sorted()
    }

    /// Returns the regular files that match a pattern whose leading slash stands for any of the folders, in
    /// alphabetical order. The paths begin with that slash too.
    package func paths(matchingBelow pattern: String, _ search: inout ConfinedSearch) -> [String] {
        guard let parts = Self.parts(of: pattern) else { return [] }
        var found: Set<String> = []
        for (_, folder) in roots { find(parts[...], below: folder, "", &search, &found) }
        return found.sorted()
    }

    private static func parts(of pattern: String) -> [Substring]? {
        guard pattern.hasPrefix("/"), pattern.utf8.count < pathLimit, !pattern.utf8.contains(0) else { return nil }
        return ConfinedPath.components(of: pattern)
    }

    private func find(
        _ parts: ArraySlice<Substring>, below folder: OpenDescriptor, _ path: String, _ search: inout ConfinedSearch,
        _ found: inout Set<String>
    ) {
        guard let first = parts.first.map(String.init), !search.isExhausted else { return }
        let names = ShellPattern.isPattern(first) ? Self.names(in: folder, first, &search) : [first]
        for name in names where !Self.isReserved(name) {
            let place = ConfinedPath(folder: folder, root: path, rest: name)
            if parts.count > 1 {
                guard let next = try? place.openFolder() else { continue }
                find(parts.dropFirst(), below: next, "\(path)/\(name)", &search, &found)
            } else if let status = try? place.look(), status.kind == .regular {
                found.insert("\(path)/\(name)")
            }
        }
    }

    /// Returns the names in a folder that match a pattern.
    package static func names(
        in folder: OpenDescriptor, _ pattern: String, _ search: inout ConfinedSearch
    ) -> [String] {
        // The descriptor may allow entering the folder but not reading it.
        let descriptor = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream), search.takes(1) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if ShellPattern.matches(name, pattern) { names.append(name) }
        }
        return names
    }
}
