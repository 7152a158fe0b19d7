import CommandLineKit
import Foundation
import SkyImage

/// The files that the arguments of a scan name.
struct InputList: Equatable, Sendable {
    /// A file, and which of its images are scanned.
    struct File: Hashable, Sendable {
        /// The path, as the user named it or as it was found.
        var path: String
        /// The HDU; nil for every 2-D image of the file.
        var selector: ImageLocation.Selector?

        /// The location as the user writes it.
        var name: String {
            guard let selector else { return path }
            return "\(ImageLocation(path: path, selector: selector))"
        }
    }

    /// Without repetition, in the order of the arguments; those of a folder or a pattern in alphabetical order.
    private(set) var files: [File] = []

    /// Whether the arguments can name several files: a folder, a pattern, a list, or more than one argument.
    private(set) var isOpenEnded = false

    private var known: Set<File> = []

    /// Endings of the files of a folder that are scanned, after `.fz` or `.gz` is removed.
    private static let endings = [".fits", ".fit", ".fts"]

    /// The files of `arguments`: paths with or without an HDU in brackets, folders, patterns, `@FILE` for a list of names
    /// and `-` for a list on standard input. A path that does not exist is kept: its scan reports the error.
    /// - Parameters:
    ///   - arguments: at least one.
    ///   - standardInput: reads standard input to its end.
    /// - Throws: `CommandError` if a folder, a pattern or a list has no file or cannot be read; ``ImageError`` for an
    ///   invalid selector.
    init(_ arguments: [String], standardInput: () -> String) throws {
        isOpenEnded = arguments.count > 1
        for argument in arguments {
            if argument == "-" {
                try add(list: standardInput(), name: "standard input")
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                    throw CommandError(
                        .input, "@\(path): the list cannot be read; name a text file with one name per line")
                }
                try add(list: text, name: argument)
            } else {
                try add(argument)
            }
        }
    }

    private mutating func add(list: String, name: String) throws {
        isOpenEnded = true
        let before = files.count
        for line in list.split(whereSeparator: \.isNewline) {
            let word = line.trimmingCharacters(in: .whitespaces)
            if !word.isEmpty, !word.hasPrefix("#") { try add(word) }
        }
        if files.count == before { throw CommandError(.input, "\(name): the list names no file") }
    }

    private mutating func add(_ argument: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) {
            return isFolder.boolValue ? try add(folder: argument) : append(File(path: argument, selector: nil))
        }
        let location = try ImageLocation(argument)
        let selector = location.selector == .firstImage ? nil : location.selector
        if FileManager.default.fileExists(atPath: location.path) || !Self.isPattern(location.path) {
            return append(File(path: location.path, selector: selector))
        }
        isOpenEnded = true
        let paths = Self.matches(of: location.path)
        if paths.isEmpty { throw CommandError(.input, "\(location.path): no file matches") }
        for path in paths { append(File(path: path, selector: selector)) }
    }

    private mutating func add(folder: String) throws {
        isOpenEnded = true
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw CommandError(.input, "\(folder): the folder cannot be read: \(error.localizedDescription)")
        }
        let images = names.filter(Self.isImageName).sorted()
        if images.isEmpty {
            throw CommandError(.input, "\(folder): the folder has no file that ends in .fits, .fit or .fts (.fz, .gz)")
        }
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        for name in images { append(File(path: prefix + name, selector: nil)) }
    }

    private mutating func append(_ file: File) { if known.insert(file).inserted { files.append(file) } }

    /// Whether a file of this name is scanned when its folder is.
    static func isImageName(_ name: String) -> Bool {
        !name.hasPrefix(".") && stem(of: name) != name
    }

    /// The name without the endings of a FITS file, such as `.fits.fz`; the name itself if it has none.
    static func stem(of name: String) -> String {
        let lower = name.lowercased()
        for compression in [".fz", ".gz", ""] where lower.hasSuffix(compression) {
            let rest = lower.dropLast(compression.count)
            for ending in endings where rest.hasSuffix(ending) && rest.count > ending.count {
                return String(name.dropLast(compression.count + ending.count))
            }
        }
        return name
    }

    private static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    /// The paths that match a pattern of the shell, in alphabetical order.
    private static func matches(of pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}
