/// The table of one command, from which its parsing, help, errors, manual page and completions are made.
struct CommandSpec: Sendable {
    var name: String
    /// One line, without a full stop.
    var summary: String
    var examples: [Example]
    /// What the manual page says of it, in paragraphs.
    var description: [String] = []
    var arguments: [ArgumentSpec] = []
    var sections: [OptionSection]
    /// Those that it may end with, beside the ones of every command.
    var exitCodes: Set<ExitCode> = []
    /// What it reads and keeps, beside the settings.
    var files: [FileSpec] = []

    struct Example: Sendable {
        var line: String
        var explanation: String
    }

    /// What every command may end with: standard output may be closed.
    static let commonExitCodes: Set<ExitCode> = [.complete, .failure, .usage, .output]

    var options: [OptionSpec] { sections.flatMap(\.options) }

    func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }

    func option(short: Character) -> OptionSpec? { options.first { $0.short == short } }
}

/// One positional argument.
struct ArgumentSpec: Sendable {
    var name: String
    var help: String
    var isRequired = true
    /// All accepted values, where they can be listed.
    var choices: [String] = []
    var isFile = false
}

/// Options under one heading of the help text.
struct OptionSection: Sendable {
    var title: String
    var options: [OptionSpec]
}
