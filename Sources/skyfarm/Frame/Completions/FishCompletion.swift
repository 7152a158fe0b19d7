/// Completion for fish.
enum FishCompletion {
    /// The script that fish reads.
    static func script(_ commands: [CommandSpec]) -> String {
        """
        # fish completion for skyfarm, made by `skyfarm completions fish`

        # Whether this is the command; without one, whether there is none yet.
        function __skyfarm_command
            set -l words (commandline -opc)
            if test (count $words) -lt 2
                test -z "$argv[1]"
            else
                test "$words[2]" = "$argv[1]"
            end
        end

        # Whether an argument of that place, from 0, of this command is next; the other words are flags with a value.
        function __skyfarm_argument
            __skyfarm_command $argv[1]; or return 1
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

        complete -c skyfarm -f
        complete -c skyfarm -n '__skyfarm_command ""' -s h -l help -d 'Show the commands'
        complete -c skyfarm -n '__skyfarm_command ""' -l version -d 'Show the version'
        \(commands.map { "complete -c skyfarm -n '__skyfarm_command \"\"' -a \($0.name) -d \(quoted($0.summary))" }
            .joined(separator: "\n"))

        \(commands.map(lines).joined(separator: "\n\n"))

        """
    }

    private static func lines(of command: CommandSpec) -> String {
        let flags = command.valueFlags.joined(separator: " ")
        let arguments = command.arguments.enumerated().compactMap { place, argument in
            value(argument.completion).map { value in
                let condition = ["__skyfarm_argument", command.name, "\(place)", flags].joined(separator: " ")
                return "complete -c skyfarm -n '\(condition)'\(value) -d \(quoted(argument.name))"
            }
        }
        let options = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let rest = option.completion.map { " -r" + (value($0) ?? " -f") } ?? ""
            return "complete -c skyfarm -n '__skyfarm_command \(command.name)'\(short) -l \(option.name)\(rest)"
                + " -d \(quoted(option.help))"
        }
        return (arguments + options).joined(separator: "\n")
    }

    private static func value(_ value: CompletionValue) -> String? {
        switch value {
        case .words(let words): " -f -a '\(words.joined(separator: " "))'"
        case .file: " -F"
        case .other: nil
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
