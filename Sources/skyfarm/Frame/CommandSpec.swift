/// The table of one command, from which its parsing, help and errors are made.
struct CommandSpec: Sendable {
    var name: String
    /// One line, without a full stop.
    var summary: String
    var examples: [Example]
    var arguments: [ArgumentSpec] = []
    var sections: [OptionSection]

    struct Example: Sendable {
        var line: String
        var explanation: String
    }

    var options: [OptionSpec] { sections.flatMap(\.options) }

    func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }

    func option(short: Character) -> OptionSpec? { options.first { $0.short == short } }
}

/// One positional argument.
struct ArgumentSpec: Sendable {
    var name: String
    var help: String
    var isRequired = true
}

/// Options under one heading of the help text.
struct OptionSection: Sendable {
    var title: String
    var options: [OptionSpec]
}
