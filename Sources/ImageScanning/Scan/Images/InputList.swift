import CommandLineKit
import Foundation
import ScanBasics
package import SkyFITS
import SkyScan

/// The files that the arguments of a scan name.
package struct InputList: Equatable, Sendable {
    /// A file, and which of its images are scanned.
    package struct File: Hashable, Sendable {
        /// The path, as the user named it or as it was found.
        package var path: String
        /// The HDU; nil for every 2-D image of the file.
        package var selector: ImageLocation.Selector?
        /// The node on which the file lies, or a pattern of names of nodes; nil for this machine.
        package var node: String?
        /// The nodes that have the file, once they were asked.
        var holders: [String] = []

        package init(
            path: String, selector: ImageLocation.Selector? = nil, node: String? = nil, holders: [String] = []
        ) {
            self.path = path
            self.selector = selector
            self.node = node
            self.holders = holders
        }

        /// Names of the nodes that have the file; empty if it lies on this machine.
        package var nodes: [String] { holders.isEmpty ? [node].compactMap(\.self) : holders }

        /// The location as the user writes it.
        package var name: String {
            let start = node.map { "\($0):" } ?? ""
            guard let selector else { return start + path }
            return start + "\(ImageLocation(path: path, selector: selector))"
        }
    }

    /// Without repetition, in the order of the arguments; those of a folder or a pattern in the order of their bytes.
    package private(set) var files: [File] = []

    /// Folders without files, and those below them that cannot be read.
    package private(set) var leftOut: [LeftOut] = []

    /// Whether folders stand for the files at any depth below them.
    private let isRecursive: Bool

    /// Whether the arguments can name several files: a folder, a pattern, a list, or more than one argument.
    package private(set) var isOpenEnded = false

    private var known: Set<File> = []
    private var readable: ReadableFiles { .current }

    /// Endings of the files of a folder that are scanned, after `.fz`, `.gz` or `.bz2` is removed.
    private static let endings = [".fits", ".fit", ".fts"]

    /// The files of `arguments`: paths with or without an HDU in brackets, folders, patterns, `@FILE` for a list of names
    /// `-` for a list on standard input, and names and patterns of files on nodes, which stay as they are. A path that does not exist is kept: its scan reports the error.
    /// - Parameters:
    ///   - arguments: at least one.
    ///   - isRecursive: whether folders stand for the files at any depth below them.
    ///   - standardInput: reads standard input to its end.
    /// - Throws: `CommandError` if a pattern or a list has no file or cannot be read; ``ImageError`` for an invalid
    ///   selector.
    package init(_ arguments: [String], isRecursive: Bool = false, standardInput: () -> String) throws {
        self.isRecursive = isRecursive
        isOpenEnded = arguments.count > 1
        for argument in arguments {
            if argument == "-" {
                try add(list: standardInput(), name: "standard input")
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                guard let bytes = try? readable.contents(of: path) else {
                    throw CommandError(
                        .input, "@\(path): the list cannot be read; name a text file with one name per line")
                }
                // A name that is not UTF-8 is that of no file; the others are.
                try add(list: String(decoding: bytes, as: UTF8.self), name: argument)
            } else {
                try add(argument)
            }
        }
    }

    /// Returns the files, unless there is none or, if `isStrict`, a folder is left out.
    /// - Throws: `CommandError` with the reason.
    package func required(isStrict: Bool = false) throws -> [File] {
        if let first = leftOut.first, isStrict || files.isEmpty { throw CommandError(.input, first.reason) }
        return files
    }

    private mutating func add(list: String, name: String) throws {
        isOpenEnded = true
        let before = files.count + leftOut.count
        for line in list.split(whereSeparator: \.isNewline) {
            let word = line.trimmingCharacters(in: .whitespaces)
            if !word.isEmpty, !word.hasPrefix("#") { try add(word) }
        }
        if files.count + leftOut.count == before { throw CommandError(.input, "\(name): the list names no file") }
    }

    private mutating func add(_ argument: String) throws {
        // Nothing is found outside of the folders of a job, and a name on a node is relative.
        if let kind = try readable.kind(of: argument) {
            return kind == .folder ? try add(folder: argument) : append(File(path: argument, selector: nil))
        }
        if let name = NodeImageName(argument) {
            let location = try ImageLocation(name.path)
            let selector = location.selector == .firstImage ? nil : location.selector
            if ShellPattern.isPattern(location.path) { isOpenEnded = true }
            return append(File(path: location.path, selector: selector, node: name.node))
        }
        let location = try ImageLocation(argument)
        let selector = location.selector == .firstImage ? nil : location.selector
        if try readable.kind(of: location.path) != nil || !ShellPattern.isPattern(location.path) {
            return append(File(path: location.path, selector: selector))
        }
        isOpenEnded = true
        let found = try readable.paths(matching: location.path)
        leaveOut(unreadable: found.unreadable)
        if found.paths.isEmpty { throw CommandError(.input, "\(location.path): no file matches") }
        for path in found.paths { append(File(path: path, selector: selector)) }
    }

    private mutating func add(folder: String) throws {
        isOpenEnded = true
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        let found =
            isRecursive
            ? try readable.files(below: folder)
            : ReadableFiles.Found(
                paths: try readable.names(in: folder).map { prefix + $0 }.sorted(by: FolderTree.precedes))
        leaveOut(unreadable: found.unreadable)
        let images = found.paths.filter { Self.isImageName(Self.lastName(of: $0)) }
        if images.isEmpty {
            let place = isRecursive ? "neither the folder nor one below it has a file" : "the folder has no file"
            leftOut.append(
                LeftOut(
                    file: folder, cause: .folder,
                    reason: "\(folder): \(place) that ends in .fits, .fit or .fts (.fz, .gz, .bz2)"))
        }
        for path in images { append(File(path: path, selector: nil)) }
    }

    private mutating func leaveOut(unreadable folders: [String]) {
        leftOut += folders.map {
            LeftOut(file: $0, cause: .folder, reason: "\($0): the folder cannot be read; check its permissions")
        }
    }

    private mutating func append(_ file: File) { if known.insert(file).inserted { files.append(file) } }

    /// Whether a file of this name is scanned when its folder is.
    package static func isImageName(_ name: String) -> Bool {
        !name.hasPrefix(".") && stem(of: name) != name
    }

    /// The part of a path after its last slash.
    package static func lastName(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// The name without the endings of a FITS file, such as `.fits.fz`; the name itself if it has none.
    package static func stem(of name: String) -> String {
        let bytes = name.utf8
        for ending in wholeEndings where bytes.count > ending.count {
            // Bytes, since a job may have thousands of names. Only ASCII letters have another case that is one byte.
            if zip(bytes.suffix(ending.count), ending).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 && $1 >= 0x61 }) {
                return String(name.prefix(upTo: bytes.index(bytes.endIndex, offsetBy: -ending.count)))
            }
        }
        return name
    }

    /// The endings of FITS files with and without those of their compression, as bytes.
    private static let wholeEndings = ["", ".fz", ".gz", ".bz2"].flatMap { compression in
        endings.map { Array("\($0)\(compression)".utf8) }
    }
}
