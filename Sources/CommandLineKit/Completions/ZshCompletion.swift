/// Generator of the completion script for zsh.
package struct ZshCompletion: Sendable {
    private let name: String
    private let commands: [CommandSpec]

    package init(_ program: ProgramSpec) { (name, commands) = (program.name, program.commands) }

    /// The script, to be stored as `_PROGRAM` in a folder of `$fpath` or read with `source`.
    package var script: String {
        """
        #compdef \(name)
        # zsh completion for \(name), made by `\(name) completions zsh`

        _\(name)() {
            local context state state_descr line
            local -A opt_args
            local -a commands
            _arguments -S '(- *)'{-h,--help}'[Show the commands]' '(- *)'{-V,--version}'[Show the version]' \\
                '1: :->command' '*:: :->arguments'
            case $state in
            command)
                commands=(
        \(commands.map { "            '\($0.name):\(part($0.summary))'" }.joined(separator: "\n"))
                )
                _describe command commands
                ;;
            arguments)
                case $words[1] in
        \(commands.map(branch).joined(separator: "\n"))
                esac
                ;;
            esac
        }

        if [[ $funcstack[1] == _\(name) ]]; then
            _\(name) "$@"
        else
            compdef _\(name) \(name)
        fi

        """
    }

    private func branch(of command: CommandSpec) -> String {
        let specs = command.options.map(specification) + command.arguments.enumerated().map(specification)
        return "        \(command.name))\n            _arguments -s -S \\\n"
            + specs.map { "                " + $0 }.joined(separator: " \\\n") + "\n            ;;"
    }

    private func specification(of option: OptionSpec) -> String {
        let help = "[\(part(option.help))]\(value(of: option))'"
        let forms = option.flags.map { flag in
            option.completion == nil ? flag : flag.hasPrefix("--") ? flag + "=" : flag + "+"
        }
        if forms.count == 1 { return "'" + (option.repeats ? "*" : "") + forms[0] + help }
        // A flag that may not be repeated is not offered again, in either form.
        let others = option.repeats ? "*" : "(\(option.flags.joined(separator: " ")))"
        return "'\(others)'{\(forms.joined(separator: ","))}'" + help
    }

    private func value(of option: OptionSpec) -> String {
        guard let completion = option.completion, let placeholder = option.placeholder else { return "" }
        return ":\(part(placeholder)):" + action(completion)
    }

    private func specification(_ place: Int, _ argument: ArgumentSpec) -> String {
        let place = argument.repeats ? "*:" : "\(place + 1)" + (argument.isRequired ? ":" : "::")
        return "'\(place)\(part(argument.name)):\(action(argument.completion))'"
    }

    private func action(_ value: CompletionValue) -> String {
        switch value {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .file: "_files"
        case .other: " "
        }
    }

    /// Escapes text for a part of a specification: colons and brackets separate parts, and single quotes enclose them.
    private func part(_ text: String) -> String {
        withinSingleQuotes(text.map { "\\:[]".contains($0) ? "\\\($0)" : String($0) }.joined())
    }
}
