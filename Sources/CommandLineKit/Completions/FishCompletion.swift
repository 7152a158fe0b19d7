/// Generator of the completion script for fish.
package struct FishCompletion: Sendable {
    private let name: String
    private let commands: [CommandSpec]

    package init(_ program: ProgramSpec) { (name, commands) = (program.name, program.commands) }

    package var script: String {
        """
        # fish completion for \(name), made by `\(name) completions fish`

        # Whether the command line has this command; with an empty argument, whether it has none yet.
        function __\(name)_command
            set -l words (commandline -opc)
            if test (count $words) -lt 2
                test -z "$argv[1]"
            else
                test "$words[2]" = "$argv[1]"
            end
        end

        # Arguments: a command, an index, and the flags of the command that take a value.
        # Whether the word to complete is the command's argument at that index.
        function __\(name)_argument
            __\(name)_command $argv[1]; or return 1
            set -l words (commandline -opc)
            set -l place 0
            set -l is_value no
            for word in $words[3..-1]
                if test $is_value = yes
                    set is_value no
                else if string match -q -- '-*' $word
                    contains -- $word $argv[3..-1]; and set is_value yes
                else
                    set place (math $place + 1)
                end
            end
            test $place -eq $argv[2]
        end

        complete -c \(name) -f
        complete -c \(name) -n '__\(name)_command ""' -s h -l help -d 'Show the commands'
        complete -c \(name) -n '__\(name)_command ""' -s V -l version -d 'Show the version'
        \(commands.map { "complete -c \(name) -n '__\(name)_command \"\"' -a \($0.name) -d \(quoted($0.summary))" }
            .joined(separator: "\n"))

        \(commands.map(lines).joined(separator: "\n\n"))

        """
    }

    private func lines(of command: CommandSpec) -> String {
        let flags = command.valueFlags.joined(separator: " ")
        let arguments = command.arguments.enumerated().compactMap { place, argument in
            value(argument.completion).map { value in
                let condition =
                    argument.repeats
                    ? "__\(name)_command \(command.name)"
                    : ["__\(name)_argument", command.name, "\(place)", flags].joined(separator: " ")
                return "complete -c \(name) -n '\(condition)'\(value) -d \(quoted(argument.name))"
            }
        }
        let options = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let rest = option.completion.map { " -r" + (value($0) ?? " -f") } ?? ""
            return "complete -c \(name) -n '__\(name)_command \(command.name)'\(short) -l \(option.name)\(rest)"
                + " -d \(quoted(option.help))"
        }
        return (arguments + options).joined(separator: "\n")
    }

    private func value(_ value: CompletionValue) -> String? {
        switch value {
        case .words(let words): " -f -a '\(words.joined(separator: " "))'"
        case .file: " -F"
        case .other: nil
        }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
