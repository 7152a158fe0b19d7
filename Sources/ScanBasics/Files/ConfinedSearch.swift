import Foundation

/// What a search for the files of a pattern may cost.
package struct ConfinedSearch {
    /// Names that may still be read from folders.
    private var rest: Int
    private let end: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    /// Whether the search was given up.
    package private(set) var isExhausted = false

    /// A search that ends after so many names, after this time, or when `isCancelled` says so.
    package init(
        limit: Int = 1_000_000, time: Duration = .seconds(10), isCancelled: @escaping () -> Bool = { false }
    ) {
        (rest, end, self.isCancelled) = (limit, .now + time, isCancelled)
    }

    /// Whether `count` names may be looked at.
    fileprivate mutating func takes(_ count: Int) -> Bool {
        rest -= count
        if rest < 0 || .now > end || isCancelled() { isExhausted = true }
        return !isExhausted
    }
}

extension ConfinedFolders {
    /// The regular files that a pattern of the shell matches, in alphabetical order. No symbolic link is followed.
    package func paths(matching pattern: String, _ search: inout ConfinedSearch) -> [String] {
        guard let parts = Self.parts(of: pattern) else { return [] }
        var found: Set<String> = []
        for (names, folder) in roots {
            // Each name of the folder that the pattern can mean.
            for name in names where name.count < parts.count {
                guard zip(parts, name).allSatisfy({ ShellPattern.matches(String($1), String($0)) }) else { continue }
                let start = name.map { "/" + $0 }.joined()
                find(parts.dropFirst(name.count), below: folder, start, &search, &found)
            }
        }
        return found.sorted()
    }

    /// The regular files that a pattern matches whose slash at the beginning stands for a folder, by names that begin so, in
    /// alphabetical order.
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

    /// The names in a folder that match a pattern.
    package static func names(
        in folder: OpenDescriptor, _ pattern: String, _ search: inout ConfinedSearch
    ) -> [String] {
        // The descriptor may be one that cannot be read, only entered.
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
