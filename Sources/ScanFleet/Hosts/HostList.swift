package import CommandLineKit
import Foundation
import ScanCluster

/// The hosts named on a command line, in the syntax of `ssh`.
package struct HostList: Equatable, Sendable {
    /// Hosts without duplicates, in the order of the arguments.
    package private(set) var hosts: [String] = []

    /// Parses `arguments`: each is a host, or `@FILE` for a file with one host per line, in which # begins a comment.
    /// `read` returns the text of a file, or nil if it cannot be read.
    /// - Throws: `CommandError` if a file cannot be read or is empty, or if a word is not a host.
    package init(
        _ arguments: [String], read: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
    ) throws(CommandError) {
        for argument in arguments {
            guard argument.hasPrefix("@") else {
                try add(argument)
                continue
            }
            guard let text = read(String(argument.dropFirst())) else {
                throw CommandError(
                    .input, "\(argument): the list cannot be read; name a text file with one host per line")
            }
            let words = text.split(whereSeparator: \.isNewline).flatMap { line in
                line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            }
            if words.isEmpty { throw CommandError(.input, "\(argument): the list names no host") }
            for word in words { try add(word) }
        }
    }

    private mutating func add(_ host: String) throws(CommandError) {
        // ssh would interpret a leading hyphen as an option.
        guard !host.isEmpty, !host.hasPrefix("-"), !host.contains(where: { $0.isWhitespace || $0.isNewline }) else {
            throw CommandError(.usage, "'\(host.printable)' is not a host; write a name as for ssh, as in user@host")
        }
        if !hosts.contains(host) { hosts.append(host) }
    }
}
