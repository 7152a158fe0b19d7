/// A reference of all commands in Markdown, generated from the same tables as the help.
package struct MarkdownReference: Sendable {
    package let program: ProgramSpec

    package init(_ program: ProgramSpec) { self.program = program }

    /// Returns the page of the program, with a section for each command.
    package func page() -> String {
        var blocks = [
            "# Commands",
            "`\(program.name) help --markdown` writes this page from the tables by which the program reads its command"
                + " line.",
        ]
        blocks += program.description.map(Self.escaped)
        blocks.append(
            Self.table(
                ["command", "what it does"],
                program.commands.map { command in
                    let name = "[`\(program.name) \(command.name)`](#\(program.name)-\(command.name))"
                    return [name, Self.escaped(command.summary)]
                }))
        blocks.append("## Exit codes")
        blocks.append(
            Self.table(
                ["code", "meaning"], program.exitCodes.map { ["\($0.rawValue)", Self.escaped($0.meaning)] }))
        blocks.append("## Settings and files")
        blocks.append(
            "A variable in brackets sets the flag before it, where that is not given: a switch by `true` or `false`, a"
                + " flag that may be repeated by values separated by commas or spaces.")
        blocks.append(
            Self.table(
                ["file", "if the variable is not set", "content"],
                ([program.settings] + program.files).map { file in
                    ["`\(file.name)`", "`\(file.fallback)/\(file.path)`", Self.escaped(file.help)]
                }))
        blocks += program.commands.flatMap { self.blocks(of: $0) }
        return Self.text(blocks)
    }

    /// Returns the section of a command.
    package func section(of command: CommandSpec) -> String { Self.text(blocks(of: command)) }

    private func blocks(of command: CommandSpec) -> [String] {
        let codes = command.exitCodes.union(program.commonExitCodes)
        let numbers = program.exitCodes.filter { codes.contains($0) }.map { "\($0.rawValue)" }
        var blocks = [
            "## \(program.name) \(command.name)",
            "```text\n\(program.helpText(of: command, width: 100))```",
        ]
        blocks += command.description.map(Self.escaped)
        blocks.append("[Exit codes](#exit-codes): \(numbers.joined(separator: ", ")).")
        if !command.files.isEmpty {
            let files = command.files.map { "- `\($0.name)`: \(Self.escaped($0.help))" }
            blocks.append("Files, besides the settings:\n\n\(files.joined(separator: "\n"))")
        }
        return blocks
    }

    private static func text(_ blocks: [String]) -> String { blocks.joined(separator: "\n\n") + "\n" }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static let special: Set<Character> = ["\\", "*", "_", "[", "]", "<", ">", "|", "~", "$"]

    /// Escapes text for Markdown, except for code in backquotes.
    package static func escaped(_ text: String) -> String {
        var result = ""
        var isCode = false
        for character in text {
            if character == "`" { isCode.toggle() }
            if !isCode, special.contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}

extension FileSpec {
    /// The path relative to the variable of its base folder.
    fileprivate var name: String { "$\(variable)/\(path)" }
}
