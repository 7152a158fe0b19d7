/// Generator of the completion script for bash 3.2 and later.
package struct BashCompletion: Sendable {
    private let name: String
    private let commands: [CommandSpec]

    package init(_ program: ProgramSpec) { (name, commands) = (program.name, program.commands) }

    package var script: String {
        let words = commands.map(\.name) + ["--help", "--version"]
        return """
            # bash completion for \(name), made by `\(name) completions bash`

            _\(name)_words() {
                local name
                while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -W "$1" -- "$2")
            }

            _\(name)_files() {
                local name
                # Readline's own completion handles quotes and tildes.
                if compopt -o default 2>/dev/null; then return; fi
                while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$1")
            }

            _\(name)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
                local flags='' valued='' place=0 index
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    _\(name)_words "\(words.joined(separator: " "))" "$word"
                    return
                fi
                # Bash splits --flag=value into three words.
                if [ "$word" = = ]; then
                    word=
                elif [ "$before" = = ]; then
                    before=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                case $command in
            \(commands.map(options).joined(separator: "\n"))
                esac
                case $word in
                -*)
                    _\(name)_words "$flags" "$word"
                    return
                    ;;
                esac
                for ((index = 2; index < COMP_CWORD; index++)); do
                    case ${COMP_WORDS[index]} in
                    =) index=$((index + 1)) ;;
                    -*) case " $valued " in *" ${COMP_WORDS[index]} "*)
                        if [ "${COMP_WORDS[index + 1]}" != = ]; then index=$((index + 1)); fi ;;
                    esac ;;
                    *) place=$((place + 1)) ;;
                    esac
                done
                case $command:$place in
            \(commands.flatMap(arguments).joined(separator: "\n"))
                esac
            }

            complete -F _\(name) \(name)

            """
    }

    /// Returns the branch of a command: its flags, and the completion of their values.
    private func options(of command: CommandSpec) -> String {
        var lines = [
            "    \(command.name))",
            "        flags='\(command.options.flatMap(\.flags).joined(separator: " "))'",
        ]
        let valued = command.options.filter { $0.completion != nil }
        if !valued.isEmpty {
            lines += [
                "        valued='\(command.valueFlags.joined(separator: " "))'",
                "        case $before in",
            ]
            let kinds = valued.compactMap(\.completion).reduce(into: [CompletionValue]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            for kind in kinds {
                let flags = valued.filter { $0.completion == kind }.flatMap(\.flags)
                lines.append("        \(flags.joined(separator: " | ")))")
                if let action = action(kind) { lines.append("            \(action)") }
                lines += ["            return", "            ;;"]
            }
            lines.append("        esac")
        }
        return (lines + ["        ;;"]).joined(separator: "\n")
    }

    /// Returns the branches for the arguments of a command, by position.
    private func arguments(of command: CommandSpec) -> [String] {
        command.arguments.enumerated().compactMap { place, argument in
            action(argument.completion).map { "    \(command.name):\(argument.repeats ? "*" : "\(place)")) \($0) ;;" }
        }
    }

    private func action(_ value: CompletionValue) -> String? {
        switch value {
        case .words(let words): "_\(name)_words \"\(words.joined(separator: " "))\" \"$word\""
        case .file: "_\(name)_files \"$word\""
        case .other: nil
        }
    }
}
