import CommandLineKit
import Console
import Foundation
import ProgramTask
import ScanBasics
import SkyFITS
import SkyScan

/// The items of a run: what its arguments name.
struct MapInputs: Sendable {
    private(set) var items: [MapItem] = []
    private var members: [MapItem.Member] = []
    private var known: Set<String> = []
    private var readable: ReadableFiles { .current }

    /// The files of the arguments, or the lines of `--items`, in batches.
    /// - Throws: `CommandError` or `ImageError` if one cannot be read or there is none.
    init(_ options: MapCommand.Options) throws {
        if let list = options.items {
            for line in try Self.lines(of: list) { members.append(MapItem.Member(line: line)) }
        }
        for argument in options.inputs { try add(argument) }
        if members.isEmpty { throw CommandError(.input, "map: the inputs name no file, and the list has no line") }
        for start in stride(from: 0, to: members.count, by: options.batch) {
            let batch = Array(members[start..<min(start + options.batch, members.count)])
            items.append(MapItem(index: items.count, members: batch))
        }
    }

    /// The lines of a file, or of standard input for `-`, except empty ones.
    private static func lines(of list: String) throws -> [String] {
        let text =
            list == "-"
            ? StandardInput.text() : String(decoding: try ReadableFiles.current.contents(of: list), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    private mutating func add(_ argument: String, isListed: Bool = false) throws {
        // A list names files, not further lists, of which it might be one itself.
        if !isListed, argument == "-" || argument.hasPrefix("@") {
            let list = argument == "-" ? "-" : String(argument.dropFirst())
            for line in try Self.lines(of: list) {
                let word = line.trimmingCharacters(in: .whitespaces)
                if !word.isEmpty, !word.hasPrefix("#") { try add(word, isListed: true) }
            }
            return
        }
        switch try readable.kind(of: argument) {
        case .folder:
            let prefix = argument.hasSuffix("/") ? argument : argument + "/"
            let names = try readable.names(in: argument).filter { !$0.hasPrefix(".") }
            for path in names.map({ prefix + $0 }).sorted(by: FolderTree.precedes)
            where try readable.kind(of: path) == .regular {
                append(path)
            }
        case .some: append(argument)
        case nil where NodeImageName(argument) != nil: throw Self.missing(argument)
        case nil where ShellPattern.isPattern(argument):
            let found = try readable.paths(matching: argument).paths
            if found.isEmpty { throw CommandError(.input, "\(argument): no file matches") }
            for path in found { append(path) }
        case nil: throw Self.missing(argument)
        }
    }

    /// The error about a file that is not there.
    static func missing(_ path: String) -> CommandError {
        onNode(path) ?? CommandError(.input, "\(path): there is no such file")
    }

    /// The error about a name of a file on a node, with the command that gives the node the job; nil for other names.
    static func onNode(_ path: String) -> CommandError? {
        guard let name = NodeImageName(path) else { return nil }
        let node = ShellPattern.isPattern(name.node) ? "NODE" : name.node
        return CommandError(
            .input,
            "\(path): lies on a node, and map takes files of this machine: `skyfarm submit map --on \(node) ..."
                + " -- \(commandLine([name.path]))` runs there, if the node has been started with --accept-jobs")
    }

    private mutating func append(_ path: String) {
        if known.insert(path).inserted { members.append(MapItem.Member(path: path)) }
    }
}
