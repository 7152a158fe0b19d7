/// The table of one command: its arguments, options, examples and texts.
///
/// The parser, help, errors, manual page and completions derive from it. Each ``Option`` that a command declares has
/// its ``OptionSpec`` in one of the ``sections``; the command reads the value of the option from ``Arguments``.
/// ``ProgramSpec`` collects the tables of all commands.
package struct CommandSpec: Sendable {
    package var name: String
    /// One line without a full stop.
    package var summary: String
    package var examples: [Example]
    /// Paragraphs of the manual page.
    package var description: [String]
    package var arguments: [ArgumentSpec]
    package var sections: [OptionSection]
    /// Exit codes in addition to those of every command.
    package var exitCodes: Set<ExitCode>
    /// Files that the command uses, in addition to the settings.
    package var files: [FileSpec]
    /// Whether words that look like flags and are none of the command's are arguments, for another program. Short flags
    /// are then words of their own.
    package var passesUnknownFlags = false

    package init(
        name: String, summary: String, examples: [Example], description: [String] = [], arguments: [ArgumentSpec] = [],
        sections: [OptionSection], exitCodes: Set<ExitCode> = [], files: [FileSpec] = []
    ) {
        (self.name, self.summary, self.examples, self.description) = (name, summary, examples, description)
        (self.arguments, self.sections, self.exitCodes, self.files) = (arguments, sections, exitCodes, files)
    }

    package struct Example: Sendable {
        package var line: String
        package var explanation: String

        package init(line: String, explanation: String) { (self.line, self.explanation) = (line, explanation) }
    }

    package var options: [OptionSpec] { sections.flatMap(\.options) }

    func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }

    func option(short: Character) -> OptionSpec? { options.first { $0.short == short } }
}

/// One positional argument.
package struct ArgumentSpec: Sendable {
    package var name: String
    package var help: String
    package var isRequired: Bool
    /// All accepted values, if they can be listed.
    package var choices: [String]
    package var isFile: Bool
    /// Whether it may be given more than once. Only allowed for the last argument of a command.
    package var repeats: Bool

    package init(
        name: String, help: String, isRequired: Bool = true, choices: [String] = [], isFile: Bool = false,
        repeats: Bool = false
    ) {
        (self.name, self.help, self.isRequired) = (name, help, isRequired)
        (self.choices, self.isFile, self.repeats) = (choices, isFile, repeats)
    }

    /// The name as shown in usage lines, without brackets.
    var placeholder: String { repeats ? name + "..." : name }
}

/// Options under one heading of the help text.
package struct OptionSection: Sendable {
    package var title: String
    package var options: [OptionSpec]

    package init(title: String, options: [OptionSpec]) { (self.title, self.options) = (title, options) }
}
