/// A program: its commands, and the general texts of its help and manual pages.
package struct ProgramSpec: Sendable {
    package var name: String
    package var version: String
    /// One line without a full stop.
    package var summary: String
    package var examples: [CommandSpec.Example]
    /// Paragraphs of the manual page.
    package var description: [String]
    package var commands: [CommandSpec]
    /// All exit codes, in the order of the manual.
    package var exitCodes: [ExitCode]
    /// Exit codes that every command may return.
    package var commonExitCodes: Set<ExitCode>
    package var settings: FileSpec
    /// Files that the program uses, in addition to the settings.
    package var files: [FileSpec]

    package init(
        name: String, version: String, summary: String, examples: [CommandSpec.Example], description: [String] = [],
        commands: [CommandSpec], exitCodes: [ExitCode], commonExitCodes: Set<ExitCode> = [], settings: FileSpec,
        files: [FileSpec] = []
    ) {
        (self.name, self.version, self.summary, self.examples) = (name, version, summary, examples)
        (self.description, self.commands, self.exitCodes) = (description, commands, exitCodes)
        (self.commonExitCodes, self.settings, self.files) = (commonExitCodes, settings, files)
    }

    /// Returns the table of a command.
    package func command(named name: String) throws(UsageError) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        throw UsageError(
            "unknown command \"\(name)\"\(suggestion(for: name, among: commands.map(\.name))) (see \(self.name) --help)"
        )
    }

    /// Keys that are allowed in the settings file.
    package var settingKeys: Set<String> {
        Set(commands.flatMap(\.options).filter { $0.environment != nil }.map(\.name))
    }

    /// Prefix of the environment variables that set flags.
    var variablePrefix: String { name.uppercased() + "_" }
}
