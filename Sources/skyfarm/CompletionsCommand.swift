package import CommandLineKit
import Console

/// `skyfarm completions` writes the completion script of a shell.
package struct CompletionsCommand: Command {
    package let shell: Shell

    package enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish

        package func script(_ program: ProgramSpec) -> String {
            switch self {
            case .bash: BashCompletion(program).script
            case .zsh: ZshCompletion(program).script
            case .fish: FishCompletion(program).script
            }
        }
    }

    init(_ arguments: Arguments) throws(UsageError) {
        let word = arguments.positionals[0]
        guard let shell = Shell(rawValue: word) else {
            throw UsageError("completions: \"\(word)\" is not one of \(Self.names.joined(separator: ", "))")
        }
        self.shell = shell
    }

    package func run() async throws -> ExitCode {
        try StandardOutput.write(shell.script(Skyfarm.program))
        return .complete
    }

    private static let names = Shell.allCases.map(\.rawValue)

    package static let spec = CommandSpec(
        name: "completions",
        summary: "Write the completion script of a shell",
        examples: [
            .init(
                line: "skyfarm completions bash > ~/.local/share/bash-completion/completions/skyfarm",
                explanation: "For bash, where bash-completion is installed; otherwise source the file."),
            .init(
                line: "skyfarm completions zsh > ~/.zsh/_skyfarm",
                explanation: "For zsh, with ~/.zsh in $fpath."),
            .init(
                line: "skyfarm completions fish > ~/.config/fish/completions/skyfarm.fish",
                explanation: "For fish."),
        ],
        arguments: [ArgumentSpec(name: "SHELL", help: names.joined(separator: ", "), choices: names)],
        sections: [OptionSection(title: "Options", options: [CommonOptions.help.spec])])
}
