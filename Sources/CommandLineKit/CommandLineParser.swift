/// A parser of command lines, driven by the tables of a program's commands.
///
/// The syntax is that of GNU: `--flag value`, `--flag=value`, `-o value`, `-ovalue`, `-vj`, and `--` before arguments
/// that begin with a dash. The last value of a flag counts, unless the flag may be repeated. ``parse(_:)`` returns the
/// command with its ``Arguments``, from which the command reads each ``Option``; ``Option`` converts the text and
/// reports errors with the origin of the setting.
package struct CommandLineParser: Sendable {
    package var program: ProgramSpec

    package init(_ program: ProgramSpec) { self.program = program }

    package enum Request: Sendable {
        case help(CommandSpec?)
        case version
        case run(CommandSpec, Arguments)
    }

    /// Parses the words that follow the program's name.
    package func parse(_ words: [String]) throws(UsageError) -> Request {
        guard let first = words.first else { return .help(nil) }
        switch first {
        case "--help", "-h": return .help(nil)
        case "--version", "-V", "version": return .version
        default:
            if first.hasPrefix("-") {
                throw UsageError("unknown flag \(first) before a command (see \(program.name) --help)")
            }
            return try parse(words.dropFirst(), of: try program.command(named: first))
        }
    }

    private func parse(_ words: ArraySlice<String>, of command: CommandSpec) throws(UsageError) -> Request {
        var arguments = Arguments()
        arguments.words = Array(words)
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                arguments.separator = arguments.positionals.count
                arguments.positionals += rest
                break
            } else if passes(word, of: command, after: arguments.positionals) {
                arguments.positionals.append(word)
            } else if word == "--help" || word == "-h" {
                return .help(command)
            } else if word == "--version" || word == "-V" {
                return .version
            } else if word.hasPrefix("--") {
                try parseLong(word.dropFirst(2), of: command, rest: &rest, into: &arguments)
            } else if word.hasPrefix("-"), word.count > 1 {
                try parseShort(word.dropFirst(), of: command, rest: &rest, into: &arguments)
            } else {
                arguments.positionals.append(word)
            }
        }
        try check(arguments.positionals, of: command)
        return .run(command, arguments)
    }

    /// Whether a word that looks like a flag is an argument for another program, whose name must come first.
    private func passes(_ word: String, of command: CommandSpec, after positionals: [String]) -> Bool {
        guard command.passesUnknownFlags, !positionals.isEmpty, word.hasPrefix("-"), word.count > 1 else {
            return false
        }
        if word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 != "=" }
            return command.option(named: String(name)) == nil
        }
        return word.count > 2 || word.last.map { command.option(short: $0) == nil } ?? true
    }

    private func parseLong(
        _ word: Substring, of command: CommandSpec, rest: inout ArraySlice<String>, into arguments: inout Arguments
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.option(named: name) else {
            let names = command.options.map(\.name) + ["help", "version"]
            throw UsageError(
                "unknown flag --\(name)\(suggestion(for: name, among: names, prefix: "--"))"
                    + " (see \(program.name) \(command.name) --help)")
        }
        let flag = "--" + name
        let inline = parts.count == 2 ? String(parts[1]) : nil
        let text = if let inline { inline } else { try value(of: option, flag: flag, rest: &rest) }
        arguments.add(option, flag: flag, text: text)
    }

    private func parseShort(
        _ word: Substring, of command: CommandSpec, rest: inout ArraySlice<String>, into arguments: inout Arguments
    ) throws(UsageError) {
        var letters = word
        while let letter = letters.popFirst() {
            let flag = "-\(letter)"
            guard let option = command.option(short: letter) else {
                throw UsageError("unknown flag \(flag) (see \(program.name) \(command.name) --help)")
            }
            if option.isSwitch || letters.isEmpty {
                arguments.add(option, flag: flag, text: try value(of: option, flag: flag, rest: &rest))
            } else {
                arguments.add(option, flag: flag, text: String(letters))
                return
            }
        }
    }

    private func value(
        of option: OptionSpec, flag: String, rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        if option.isSwitch { return "true" }
        if let implied = option.implied {
            guard let next = rest.first, implied.takes(next) else { return implied.text }
            rest.removeFirst()
            return next
        }
        guard let next = rest.first, !Self.looksLikeFlag(next), let text = rest.popFirst() else {
            throw UsageError("\(flag) needs a value: \(option.expected)")
        }
        return text
    }

    /// Whether a word looks like a flag. Negative numbers do not, nor do names in capitals, such as `-BACKGROUND`.
    private static func looksLikeFlag(_ word: String) -> Bool {
        let rest = word.dropFirst()
        let isName = rest.count > 1 && rest.prefix(2).allSatisfy { $0.isASCII && $0.isUppercase }
        return word.hasPrefix("-") && word != "-" && Double(word) == nil && !isName
    }

    private func check(_ positionals: [String], of command: CommandSpec) throws(UsageError) {
        let required = command.arguments.prefix(while: \.isRequired).count
        if positionals.count < required {
            throw UsageError(
                "\(command.arguments[positionals.count].name) is missing: \(program.usageLine(of: command))")
        }
        if positionals.count > command.arguments.count, command.arguments.last?.repeats != true {
            throw UsageError(
                "unexpected argument \"\(positionals[command.arguments.count])\": \(program.usageLine(of: command))")
        }
    }
}

extension Arguments {
    fileprivate mutating func add(_ option: OptionSpec, flag: String, text: String) {
        flags[option.name, default: []].append(Setting(text: text, origin: .flag(flag)))
    }
}
