package import CommandLineKit
import Console
import Foundation

/// `skyfarm help` writes the help of a command, its manual page, or the reference of all commands.
package struct HelpCommand: Command {
    package let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let command = try options.command.map(Skyfarm.program.command)
        switch options.form {
        case .text: return try Self.show(command)
        case .manual:
            let pages = ManualPage(Skyfarm.program, options.environment)
            try StandardOutput.write(command.map(pages.text) ?? pages.overview())
        case .markdown:
            let reference = MarkdownReference(Skyfarm.program)
            try StandardOutput.write(command.map(reference.section) ?? reference.page())
        }
        return .complete
    }

    /// Writes the help of a command, or the overview.
    package static func show(_ command: CommandSpec?) throws -> ExitCode {
        let width = min(Terminal.standardOutput.width ?? 80, 100)
        let program = Skyfarm.program
        try StandardOutput.write(
            command.map { program.helpText(of: $0, width: width) } ?? program.helpText(width: width))
        return .complete
    }
}

extension HelpCommand {
    package enum Form: Equatable, Sendable { case text, manual, markdown }

    package struct Options: Equatable, Sendable {
        /// Name of the command, or nil for the overview.
        package var command: String?
        package var form: Form
        package var environment: [String: String]

        package init(_ arguments: Arguments) throws(UsageError) {
            command = arguments.positionals.first
            switch (try arguments[HelpCommand.manual], try arguments[HelpCommand.markdown]) {
            case (true, true): throw UsageError("help: use either --man or --markdown")
            case (true, false): form = .manual
            case (false, true): form = .markdown
            case (false, false): form = .text
            }
            environment = arguments.environment
        }
    }

    private static let manual = Option.toggle("man", help: "Write the manual page in roff, as for man -l")
    private static let markdown = Option.toggle(
        "markdown", help: "Write the reference of the command, or of all, in Markdown")

    package static let spec = CommandSpec(
        name: "help",
        summary: "Show the help of a command, or its manual page",
        examples: [
            .init(line: "skyfarm help scan", explanation: "Show the flags of skyfarm scan, with their defaults."),
            .init(
                line: "skyfarm help --man scan | man -l -", explanation: "Read the manual page of skyfarm scan."),
        ],
        description: [
            "The manual page is dated by SOURCE_DATE_EPOCH, if that is set, or today."
        ],
        arguments: [
            ArgumentSpec(
                name: "COMMAND", help: "the command; without it, all are listed", isRequired: false,
                choices: Skyfarm.commands.filter { $0 != HelpCommand.self }.map { $0.spec.name } + ["help"])
        ],
        sections: [
            OptionSection(title: "Options", options: [manual.spec, markdown.spec, CommonOptions.help.spec])
        ])
}
