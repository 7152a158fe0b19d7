/// One task of a run: an input file or a line, or several of them in a batch. Pure.
package struct MapItem: Equatable, Sendable {
    /// An input of the task.
    package struct Member: Equatable, Sendable {
        /// Name of the file, or the line.
        package var text: String
        /// Path of the file on this machine; nil for a line.
        package var path: String?

        /// The input file at `path`.
        package init(path: String) {
            self.path = path
            text = Self.lastName(of: path)
        }

        /// A line of a list of items.
        package init(line: String) { (text, path) = (line, nil) }

        /// The text without the ending of a file name, and without the characters that a file name must not have.
        package var stem: String { Self.stem(of: path == nil ? Self.fileName(of: text) : text) }

        /// The folder of the file.
        package var folder: String {
            guard let path, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
            return slash == path.startIndex ? "/" : String(path[..<slash])
        }

        static func lastName(of path: String) -> String {
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        }

        /// Lines may have characters that no file name has.
        private static func fileName(of line: String) -> String {
            let name = String(line.map { $0 == "/" || $0 == "\0" || $0.isNewline ? "_" : $0 }.prefix(200))
            return name == "." || name == ".." ? "_" : name
        }

        /// `image` for `image.fits`, `image.fits.fz` and `image.cat`.
        private static func stem(of name: String) -> String {
            var rest = name[...]
            for ending in [".gz", ".bz2", ".fz", ".xz", ".zst"] where rest.lowercased().hasSuffix(ending) {
                let shorter = rest.dropLast(ending.count)
                if shorter.contains(".") { rest = shorter }
            }
            let dot = rest.lastIndex(of: ".") ?? rest.endIndex
            let stem = dot == rest.startIndex ? rest : rest[..<dot]
            // "." and ".." name other folders.
            return stem.allSatisfy { $0 == "." } ? "_" : String(stem)
        }
    }

    /// Place in the run, from 0.
    package var index: Int
    /// At least one.
    package var members: [Member]

    package init(index: Int, members: [Member]) { (self.index, self.members) = (index, members) }

    /// The item in messages.
    package var name: String {
        let first = members[0].path ?? members[0].text
        return members.count == 1 ? first : "\(first) and \(members.count - 1) more"
    }

    /// The texts of a template: one for each member if it has a field of a member, otherwise one.
    package func texts(_ template: ProgramTemplate, output: String, cpus: Int) -> [String] {
        let members = template.isOfMember ? members : [members[0]]
        return members.map { member in
            template.expanded { field in
                switch field {
                case .input, .item: member.text
                case .output: output
                case .stem: member.stem
                case .folder: member.folder
                case .number: String(index + 1)
                case .cpus: String(cpus)
                case .shared(let name): "\(ProgramTask.sharedFolder)/\(name)"
                }
            }
        }
    }
}
