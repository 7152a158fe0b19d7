extension ProgramSpec {
    /// Returns the syntax of a command in one line.
    func usageLine(of command: CommandSpec) -> String {
        let words = command.arguments.map { $0.isRequired ? $0.placeholder : "[\($0.placeholder)]" }
        return ([name, command.name, "[OPTION]..."] + words).joined(separator: " ")
    }

    /// Returns the help of a command, beginning with an example, in lines of at most `width` characters.
    package func helpText(of command: CommandSpec, width: Int) -> String {
        var lines = Self.lines(of: command.examples, width: width)
        lines += [""] + wrap("\(command.name): \(command.summary).", indent: 0, width: width)
        lines += ["", "Usage: " + usageLine(of: command)]
        if !command.arguments.isEmpty {
            lines += ["", "Arguments:"]
            for argument in command.arguments { lines += entry(argument.name, argument.help, width: width) }
        }
        for section in command.sections {
            lines += ["", section.title + ":"]
            for option in section.options { lines += entry(option.heading, option.explanation, width: width) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the overview of all commands, beginning with an example, in lines of at most `width` characters.
    package func helpText(width: Int) -> String {
        var lines = Self.lines(of: examples, width: width)
        lines += [""] + wrap("\(name): \(summary).", indent: 0, width: width)
        lines += ["", "Usage: \(name) COMMAND [OPTION]... [ARGUMENT]...", "", "Commands:"]
        for command in commands { lines += entry(command.name, command.summary, width: width) }
        lines += ["", "Options:"]
        lines += entry("-h, --help", "Show this help", width: width)
        lines += entry("-V, --version", "Show the version", width: width)
        lines += ["", "Exit codes:"]
        for code in exitCodes { lines += entry(String(code.rawValue), code.meaning, width: width) }
        lines += [""]
        lines += wrap(
            "Settings come from flags, then \(variablePrefix) variables, then $\(settings.variable)/\(settings.path)"
                + " (lines of \"key = value\"; keys are long flags without the dashes).", indent: 0, width: width)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of examples: [CommandSpec.Example], width: Int) -> [String] {
        examples.flatMap { ["  " + $0.line] + wrap($0.explanation, indent: 6, width: width) }
    }
}

extension OptionSpec {
    /// The flags with the placeholder of their value, such as `-o, --output FILE`.
    var heading: String {
        let flags = (short.map { "-\($0), " } ?? "    ") + "--" + name
        return placeholder.map { "\(flags) \($0)" } ?? flags
    }

    /// The meaning with the environment variable that sets the option.
    package var explanation: String { meaning + (environment.map { " [\($0)]" } ?? "") }

    /// The help text with the accepted values and the default.
    var meaning: String {
        var text = help
        if !choices.isEmpty, !isSwitch { text += ": " + choices.joined(separator: ", ") }
        if repeats { text += "; may be repeated" }
        if let fallback { text += " (default: \(fallback))" }
        return text
    }
}

private let column = 28

private func entry(_ heading: String, _ text: String, width: Int) -> [String] {
    let lines = wrap(text, indent: column, width: width)
    let heading = "  " + heading
    guard let first = lines.first, heading.count < column - 1 else { return [heading] + lines }
    return [heading + first.dropFirst(heading.count)] + lines.dropFirst()
}

/// Breaks `text` at spaces into lines of at most `width` characters, each with an indentation.
func wrap(_ text: String, indent: Int, width: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, indent + line.count + 1 + word.count > width {
            lines.append(margin + line)
            line = String(word)
        } else {
            line += (line.isEmpty ? "" : " ") + word
        }
    }
    return line.isEmpty ? lines : lines + [margin + line]
}
