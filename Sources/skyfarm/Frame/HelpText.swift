extension CommandSpec {
    /// The form of a call, in one line.
    var usageLine: String {
        let words = arguments.map { $0.isRequired ? $0.name : "[\($0.name)]" }
        return (["skyfarm", name, "[OPTION]..."] + words).joined(separator: " ")
    }

    /// The help text, beginning with an example, in lines of at most `width` characters.
    func helpText(width: Int) -> String {
        var lines: [String] = []
        for example in examples {
            lines += ["  " + example.line] + wrap(example.explanation, indent: 6, width: width)
        }
        lines += [""] + wrap("\(name): \(summary).", indent: 0, width: width) + ["", "Usage: " + usageLine]
        if !arguments.isEmpty {
            lines += ["", "Arguments:"]
            for argument in arguments { lines += entry(argument.name, argument.help, width: width) }
        }
        for section in sections {
            lines += ["", section.title + ":"]
            for option in section.options { lines += entry(option.heading, option.explanation, width: width) }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension OptionSpec {
    /// The flags with their value, as in `-o, --output FILE`.
    var heading: String {
        let flags = (short.map { "-\($0), " } ?? "    ") + "--" + name
        return placeholder.map { "\(flags) \($0)" } ?? flags
    }

    /// What it means, and the other way to set it.
    var explanation: String { meaning + (environment.map { " [\($0)]" } ?? "") }

    /// The help with what is accepted and the default.
    var meaning: String {
        var text = help
        if !choices.isEmpty, !isSwitch { text += ": " + choices.joined(separator: ", ") }
        if repeats { text += "; may be repeated" }
        if let fallback { text += " (default: \(fallback))" }
        return text
    }
}

/// The overview of all commands, beginning with an example.
func overviewText(_ commands: [CommandSpec], width: Int) -> String {
    var lines = [
        "  skyfarm scan image.fits -o sources.csv",
        "      Find the sources of an image and write their catalogue.",
        "", "skyfarm scans sky images with every machine on the local network.",
        "", "Usage: skyfarm COMMAND [OPTION]... [ARGUMENT]...", "", "Commands:",
    ]
    for command in commands { lines += entry(command.name, command.summary, width: width) }
    lines += ["", "Exit codes:"]
    for code in ExitCode.allCases { lines += entry(String(code.rawValue), code.meaning, width: width) }
    lines += [""]
    lines += wrap(
        "Settings come from flags, then SKYFARM_ variables, then $XDG_CONFIG_HOME/skyfarm/config (lines of"
            + " \"key = value\", keys being long flags without the dashes).", indent: 0, width: width)
    return lines.joined(separator: "\n") + "\n"
}

private let column = 28

private func entry(_ heading: String, _ text: String, width: Int) -> [String] {
    let lines = wrap(text, indent: column, width: width)
    let heading = "  " + heading
    guard let first = lines.first, heading.count < column - 1 else { return [heading] + lines }
    return [heading + first.dropFirst(heading.count)] + lines.dropFirst()
}

/// Breaks `text` at spaces into lines of at most `width` characters, each indented.
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
